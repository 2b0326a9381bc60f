// npm test [-- NAME…]: every test file of dist/, beside one Postgres that they share.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { findChromium, findServers, missingServers } from '#libs/servers/find-servers.js';
import { installServers } from '#libs/servers/install-servers.js';
import { privatePostgres } from './private-servers.js';
import { runTests, testFilesIn } from './run-tests.js';

const dist = new URL('../../', import.meta.url);

process.exitCode = (await main(process.argv.slice(2))) ? 0 : 1;

async function main(names: string[]): Promise<boolean> {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  await installServers(missingServers(findServers()), console.error);
  await provideBrowser(names);
  const given = process.env.HOLDFAST_TEST_POSTGRES;
  const postgres = given === undefined ? await privatePostgres() : undefined;
  try {
    const good = await runTests({
      folder: fileURLToPath(dist),
      names,
      floor: readFloor(),
      concurrency: Number(process.env.HOLDFAST_TEST_CONCURRENCY ?? 2),
      timeoutMs: 120_000,
      env: { ...process.env, HOLDFAST_TEST_POSTGRES: given ?? postgres?.url },
      signal: stop.signal,
      out: process.stdout,
    });
    if (!good && postgres !== undefined) await keepServing(postgres.url, stop.signal);
    return good;
  } finally {
    await postgres?.stop();
  }
}

// Most machines that run most tests need no browser. Where none can be had, the tests that want one fail and say so.
async function provideBrowser(names: string[]): Promise<void> {
  const files = testFilesIn({ folder: fileURLToPath(dist), names });
  const isGiven = (process.env.HOLDFAST_CHROMIUM ?? '') !== '';
  if (isGiven || findChromium() !== undefined || !files.some((file) => file.includes('browser'))) return;
  await installServers(['chromium'], console.error).catch((error: Error) => console.error(error.message));
}

// A floor under the number of tests: a file that silently drops out is as red as one that fails.
function readFloor(): number {
  const text = readFileSync(new URL('test/floor.json', dist), 'utf8');
  return (JSON.parse(text) as { tests: number }).tests;
}

async function keepServing(url: string, signal: AbortSignal): Promise<void> {
  if (process.env.HOLDFAST_KEEP !== '1' || !process.stdin.isTTY || signal.aborted) return;
  console.log(`the databases of failed files are at ${url} until you press Ctrl-C`);
  process.stdin.resume();
  await new Promise((resolve) => signal.addEventListener('abort', resolve));
  process.stdin.pause();
}
