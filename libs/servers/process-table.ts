import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

interface ProcessRow {
  pid: number;
  parent: number;
  command: string;
}

/** Whether a process of this id exists, whoever owns it. A zombie counts as gone. */
export function isAlive(pid: number): boolean {
  return processTable().some((row) => row.pid === pid);
}

/** The command line of a process, '' when there is none. */
export function commandOf(pid: number): string {
  return processTable().find((row) => row.pid === pid)?.command ?? '';
}

/** The direct children of a process. */
export function childrenOf(pid: number): number[] {
  return processTable()
    .filter((row) => row.parent === pid)
    .map((row) => row.pid);
}

/** How much memory a process has in use (its resident set), in kB; NaN when there is no such process. */
export function residentKb(pid: number): number {
  try {
    if (!existsSync('/proc/self/stat')) return Number(execFileSync('ps', ['-o', 'rss=', '-p', `${pid}`]).toString());
    return Number(/^VmRSS:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    return Number.NaN;
  }
}

// Slim images carry no `ps`, and other systems carry no /proc.
function processTable(): ProcessRow[] {
  return existsSync('/proc/self/stat') ? fromProc() : fromPs();
}

function fromProc(): ProcessRow[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        // "pid (program) state parent …": the program's name may itself hold spaces and brackets.
        const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        if (state === 'Z' || state === 'X') return [];
        const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ');
        return [{ pid: Number(name), parent: Number(parent), command }];
      } catch {
        return []; // It ended while we read.
      }
    });
}

function fromPs(): ProcessRow[] {
  const text = execFileSync('ps', ['-A', '-ww', '-o', 'pid=,ppid=,state=,command='], { encoding: 'utf8' });
  return text.split('\n').flatMap((line) => {
    const [, pid, parent, state, command] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    if (command === undefined || state?.startsWith('Z')) return [];
    return [{ pid: Number(pid), parent: Number(parent), command }];
  });
}
