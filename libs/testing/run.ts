// npm test [-- NAME…]: every test file of dist/ in its own process, beside one Postgres that they share.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findServers, missingServers } from '#libs/servers/find-servers.js';
import { installServers } from '#libs/servers/install-servers.js';
import { privatePostgres } from './private-servers.js';
import { type FileResult, runTestFile } from './run-test-file.js';

const timeoutMs = 120_000;
const dist = fileURLToPath(new URL('../../', import.meta.url));
const timesFile = join(dist, '.test-times.json');

process.exitCode = await main(process.argv.slice(2));

async function main(names: string[]): Promise<number> {
  const files = testFiles(names);
  const stopped = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopped.abort());
  await installServers(missingServers(findServers()), console.error);
  const given = process.env.HOLDFAST_TEST_POSTGRES;
  const postgres = given === undefined ? await privatePostgres() : undefined;
  const env = { ...process.env, HOLDFAST_TEST_POSTGRES: given ?? postgres?.url };
  try {
    const results = await runAll(files, env, stopped.signal);
    if (postgres !== undefined && process.env.HOLDFAST_KEEP === '1')
      await keepServing(postgres.url, results, stopped.signal);
    return summarise(results, names.length === 0 ? readFloor() : 1, stopped.signal.aborted);
  } finally {
    await postgres?.stop();
  }
}

function testFiles(names: string[]): string[] {
  const times = readTimes();
  return readdirSync(dist, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.js'))
    .filter((file) => names.length === 0 || names.some((name) => file.includes(name)))
    .sort(
      (a, b) => (times[b] ?? Number.POSITIVE_INFINITY) - (times[a] ?? Number.POSITIVE_INFINITY) || a.localeCompare(b),
    );
}

async function runAll(files: string[], env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<FileResult[]> {
  const waiting = [...files];
  const results: FileResult[] = [];
  const worker = async (): Promise<void> => {
    for (let file = waiting.shift(); file !== undefined && !signal.aborted; file = waiting.shift()) {
      const result = await runTestFile(join(dist, file), { env, timeoutMs, signal });
      results.push({ ...result, file });
      report({ ...result, file });
      progress(results, files.length);
    }
  };
  progress(results, files.length);
  await Promise.all(Array.from({ length: Number(process.env.HOLDFAST_TEST_CONCURRENCY ?? 2) }, worker));
  clearProgress();
  rememberTimes(results);
  return results;
}

function report(result: FileResult): void {
  clearProgress();
  const name = result.file.split(sep).join('/').replace(/\.js$/, '');
  const counts = [`${result.passed} passed`];
  if (result.failed > 0) counts.push(`${result.failed} failed`);
  if (result.skipped > 0) counts.push(`${result.skipped} skipped`);
  const mark = result.failed > 0 ? '✘' : '✔';
  console.log(`${mark} ${name.padEnd(56)} ${counts.join(', ')} (${(result.durationMs / 1000).toFixed(1)} s)`);
  if (result.failed === 0) return;
  for (const problem of result.problems) console.log(`  ${problem}`);
  console.log(result.output.trimEnd().replace(/^/gm, '  | '));
}

function progress(results: FileResult[], files: number): void {
  if (!process.stdout.isTTY) return;
  const passed = results.reduce((sum, result) => sum + result.passed, 0);
  process.stdout.write(`\r${results.length}/${files} files, ${passed} tests passed`);
}

function clearProgress(): void {
  if (process.stdout.isTTY) process.stdout.write('\r\x1b[K');
}

function summarise(results: FileResult[], floor: number, stopped: boolean): number {
  const sum = (key: 'passed' | 'failed' | 'skipped'): number =>
    results.reduce((total, result) => total + result[key], 0);
  const [passed, failed, skipped] = [sum('passed'), sum('failed'), sum('skipped')];
  const bad = results.filter((result) => result.failed > 0);
  if (bad.length > 0) console.log(`failed: ${bad.map((result) => result.file.replace(/\.js$/, '')).join(', ')}`);
  if (stopped) console.log('stopped before the end');
  else if (results.length === 0) console.log('no test file has such a name');
  else if (passed < floor) console.log(`fewer tests passed than the floor in test/floor.json asks for: ${floor}`);
  console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
  return failed === 0 && passed >= floor && !stopped ? 0 : 1;
}

async function keepServing(url: string, results: FileResult[], signal: AbortSignal): Promise<void> {
  const failed = results.some((result) => result.failed > 0);
  if (!failed || signal.aborted || !process.stdin.isTTY) return;
  console.log(`the databases of failed files are at ${url}; Ctrl-C ends it`);
  process.stdin.resume();
  await new Promise((resolve) => signal.addEventListener('abort', resolve));
}

// A floor under the number of tests: a file that silently drops out is as red as one that fails.
function readFloor(): number {
  return (JSON.parse(readFileSync(join(dist, 'test', 'floor.json'), 'utf8')) as { tests: number }).tests;
}

function readTimes(): Record<string, number> {
  return existsSync(timesFile) ? (JSON.parse(readFileSync(timesFile, 'utf8')) as Record<string, number>) : {};
}

function rememberTimes(results: FileResult[]): void {
  const times = Object.fromEntries(results.map((result) => [result.file, Math.round(result.durationMs)]));
  writeFileSync(timesFile, JSON.stringify({ ...readTimes(), ...times }));
}
