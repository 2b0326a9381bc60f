import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FileResult, runTestFile } from './run-test-file.js';

export interface TestRun {
  /** The folder of compiled code that holds the `*.test.js` files. */
  folder: string;
  /** Only files whose path contains one of these; all when empty. */
  names: string[];
  /** How many tests must pass when all files run. */
  floor: number;
  concurrency: number;
  /** For each file. */
  timeoutMs: number;
  env: NodeJS.ProcessEnv;
  /** Ends the run early, which is a failure. */
  signal: AbortSignal;
  out: Pick<NodeJS.WriteStream, 'write' | 'isTTY'>;
}

/**
 * Runs the files, each in its own process, the slowest of the last run first, and prints a line for each, what
 * failed in full, and at last `N passed, N failed, N skipped`. Resolves true when nothing failed, something ran
 * and the floor was reached.
 */
export async function runTests(run: TestRun): Promise<boolean> {
  const times = readTimes(run.folder);
  const waiting = slowestFirst(testFilesIn(run), times);
  const total = waiting.length;
  const results: FileResult[] = [];
  const worker = async (): Promise<void> => {
    for (let file = waiting.shift(); file !== undefined && !run.signal.aborted; file = waiting.shift()) {
      const result = { ...(await runTestFile(join(run.folder, file), run)), file };
      results.push(result);
      times[file] = Math.round(result.durationMs);
      overwrite(run, describe(result));
      showProgress(run, results, total);
    }
  };
  showProgress(run, results, total);
  await Promise.all(Array.from({ length: run.concurrency }, worker));
  writeFileSync(timesFile(run.folder), JSON.stringify(times));
  return conclude(run, results);
}

/** The test files whose path contains one of the names; all when there are none. */
export function testFilesIn({ folder, names }: Pick<TestRun, 'folder' | 'names'>): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.js'))
    .filter((file) => names.length === 0 || names.some((name) => file.includes(name)))
    .sort();
}

function slowestFirst(files: string[], times: Record<string, number>): string[] {
  const unknown = Number.POSITIVE_INFINITY;
  return files.sort((a, b) => (times[b] ?? unknown) - (times[a] ?? unknown) || 0);
}

function describe({ file, passed, failed, skipped, problems, output, durationMs }: FileResult): string {
  const counts = [`${passed} passed`];
  if (failed > 0) counts.push(`${failed} failed`);
  if (skipped > 0) counts.push(`${skipped} skipped`);
  const seconds = (durationMs / 1000).toFixed(1);
  const line = `${failed > 0 ? '✘' : '✔'} ${withoutEnding(file).padEnd(56)} ${counts.join(', ')} (${seconds} s)\n`;
  if (failed === 0) return line;
  const details = [...problems, ...output.trimEnd().split('\n')];
  return `${line}${details.map((detail) => `  | ${detail}\n`).join('')}`;
}

function conclude({ names, floor, signal, out }: TestRun, results: FileResult[]): boolean {
  const sum = (key: 'passed' | 'failed' | 'skipped'): number => results.reduce((all, result) => all + result[key], 0);
  const [passed, failed, skipped] = [sum('passed'), sum('failed'), sum('skipped')];
  const complaints = [];
  if (failed > 0) {
    const bad = results.filter((result) => result.failed > 0);
    complaints.push(`failed: ${bad.map((result) => withoutEnding(result.file)).join(', ')}`);
  }
  if (signal.aborted) complaints.push('stopped before the end');
  else if (passed === 0 && failed === 0) complaints.push('no test ran');
  else if (names.length === 0 && passed < floor) complaints.push(`only ${passed} tests passed, the floor is ${floor}`);
  overwrite({ out }, complaints.map((complaint) => `${complaint}\n`).join(''));
  out.write(`${passed} passed, ${failed} failed, ${skipped} skipped\n`);
  return complaints.length === 0;
}

function showProgress({ out }: TestRun, results: FileResult[], total: number): void {
  const passed = results.reduce((all, result) => all + result.passed, 0);
  if (out.isTTY) out.write(`${results.length}/${total} files, ${passed} tests passed`);
}

/** In the place of the progress, where there is one. */
function overwrite({ out }: Pick<TestRun, 'out'>, text: string): void {
  out.write(out.isTTY ? `\r\x1b[K${text}` : text);
}

function withoutEnding(file: string): string {
  return file.replace(/\.js$/, '');
}

function timesFile(folder: string): string {
  return join(folder, '.test-times.json');
}

function readTimes(folder: string): Record<string, number> {
  if (!existsSync(timesFile(folder))) return {};
  return JSON.parse(readFileSync(timesFile(folder), 'utf8')) as Record<string, number>;
}
