import { readFileSync } from 'node:fs';
import { childrenOf } from '#libs/servers/process-table.js';

/**
 * Memory of a process and its children in megabytes, what they share counted once; 0 where it cannot be known, as
 * without /proc.
 */
export function memoryMb(pid: number | undefined): number {
  if (pid === undefined) return 0;
  return [pid, ...childrenOf(pid)].reduce((sum, one) => sum + proportionalKb(one), 0) / 1_024;
}

/** The proportional set size: a page of n processes counts as an n-th of it in each. */
function proportionalKb(pid: number): number {
  try {
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    return Number(/^Pss:\s+(\d+) kB$/m.exec(rollup)?.[1] ?? 0);
  } catch {
    return 0;
  }
}
