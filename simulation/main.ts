// npm run simulate -- [--schedules N] [--seed S] [--without RULE] [--json]: see README.md beside this file.
import { availableParallelism } from 'node:os';
import { type Options, readOptions, SIMULATE_HELP } from './options.js';
import { isAsPromised, renderHunted, renderViolation, summaryOf } from './report.js';
import { simulate } from './simulate.js';
import { Threads } from './threads.js';

const PROGRESS_EVERY_MS = 500;
let shownAt = 0;

process.exitCode = await main();

async function main(): Promise<number> {
  let options: Options | undefined;
  try {
    options = readOptions(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\nsee npm run simulate -- --help\n`);
    return 2;
  }
  if (options === undefined) {
    process.stdout.write(SIMULATE_HELP);
    return 0;
  }
  return run(options);
}

async function run(options: Options): Promise<number> {
  const threads = new Threads(options.threads ?? availableParallelism());
  const beganAt = performance.now();
  try {
    const result = await simulate(options, (job) => threads.search(job), showProgress);
    const seconds = (performance.now() - beganAt) / 1000;
    showNothing();
    if (!options.json) {
      for (const violation of result.violations) print(renderViolation(violation, options.without));
      if (result.hunted.length > 0) print(`${renderHunted(result.hunted)}\n`);
      print(`${seconds.toFixed(0)} s on ${threads.count} threads`);
    }
    print(JSON.stringify(summaryOf(result)));
    return isAsPromised(result) ? 0 : 1;
  } finally {
    await threads.close();
  }
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** One line of a terminal, written over by the next; now and then a line where they are kept. */
function showProgress(text: string): void {
  const now = performance.now();
  if (now - shownAt < (process.stderr.isTTY ? PROGRESS_EVERY_MS : 20 * PROGRESS_EVERY_MS)) return;
  shownAt = now;
  process.stderr.write(process.stderr.isTTY ? `\r\u001b[2K${text}` : `${text}\n`);
}

function showNothing(): void {
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[2K');
}
