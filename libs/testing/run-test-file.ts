import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestEvent } from './recorder.js';

/** What one test file came to. It is good when `failed` is 0. */
export interface FileResult {
  file: string;
  passed: number;
  failed: number;
  skipped: number;
  /** What went wrong besides failed tests, in words. */
  problems: string[];
  /** All that the file printed. */
  output: string;
  durationMs: number;
}

/**
 * Runs one compiled test file in a process group of its own, kills the whole group after `timeoutMs` or on
 * `signal`, and judges it by what it recorded rather than by its exit code alone.
 */
export async function runTestFile(
  file: string,
  { env, timeoutMs, signal }: { env: NodeJS.ProcessEnv; timeoutMs: number; signal: AbortSignal },
): Promise<FileResult> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-report-'));
  const report = join(folder, 'events.ndjson');
  const startedAt = performance.now();
  const child = spawn(process.execPath, ['--enable-source-maps', file], {
    detached: true,
    env: { ...env, HOLDFAST_TEST_REPORT: report },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    killGroup(child);
  }, timeoutMs);
  const abort = (): void => killGroup(child);
  signal.addEventListener('abort', abort);
  const { output, exit } = await finished(child);
  signal.removeEventListener('abort', abort);
  clearTimeout(timer);
  killGroup(child); // Whatever it started and forgot.
  const events = readEvents(report);
  rmSync(folder, { recursive: true });
  const end = timedOut ? `timed out after ${timeoutMs / 1000} s` : exit;
  return { file, ...judge(events, end), output, durationMs: performance.now() - startedAt };
}

type Verdict = Pick<FileResult, 'passed' | 'failed' | 'skipped' | 'problems'>;

/** `end` is undefined for a process that ended with code 0, else it says how it ended. */
function judge(events: TestEvent[], end: string | undefined): Verdict {
  const count = (kind: TestEvent['kind']): number => events.filter((event) => event.kind === kind).length;
  const [registered, started, passed, failed] = [
    count('registered'),
    count('started'),
    count('passed'),
    count('failed'),
  ];
  const unfinished = started - passed - failed;
  const notRun = registered - started;
  const problems = events.flatMap((event) => (event.kind === 'hookFailed' ? [event.message] : []));
  if (registered === 0) problems.push('holds no test that the runner could see');
  if (count('restricted') > 0) problems.push(`a leftover .only hid ${notRun} of ${registered} tests`);
  else if (notRun > 0) problems.push(`${notRun} of ${registered} tests never started`);
  if (unfinished > 0) problems.push(`ended in the middle of "${lastStarted(events)}"`);
  if (end?.startsWith('timed out') || (end !== undefined && failed + problems.length === 0)) problems.push(end);
  const bad = failed + unfinished + notRun;
  return { passed, failed: bad === 0 && problems.length > 0 ? 1 : bad, skipped: count('skipped'), problems };
}

function lastStarted(events: TestEvent[]): string {
  const last = events.findLast((event) => event.kind === 'started');
  return last !== undefined && 'test' in last ? last.test : '';
}

function finished(child: ChildProcess): Promise<{ output: string; exit: string | undefined }> {
  return new Promise((resolve) => {
    let output = '';
    const collect = (chunk: Buffer): void => {
      output += chunk.toString();
    };
    child.stdout?.on('data', collect);
    child.stderr?.on('data', collect);
    child.once('error', (error) => resolve({ output, exit: error.message }));
    child.once('exit', (code, signal) => {
      const exit = code === 0 ? undefined : `exited with ${signal ?? `code ${code}`}`;
      // A grandchild may hold the pipes open: what has been printed by now is enough.
      setTimeout(() => resolve({ output, exit }), 20);
    });
  });
}

function killGroup(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    // Nobody is left.
  }
}

function readEvents(report: string): TestEvent[] {
  if (!existsSync(report)) return [];
  const lines = readFileSync(report, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as TestEvent);
}
