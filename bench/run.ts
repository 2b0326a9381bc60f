// npm run bench -- [ID… | all] [--json] [--quick] [--pairs N]: see README.md beside this file.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Lifecycle } from '#libs/runtime/lifecycle.js';
import { createLogger } from '#libs/runtime/logger.js';
import { benchmarks } from './benchmarks.js';
import { ServersOfRun } from './drivers/servers-of-run.js';
import type { Benchmark } from './frame/benchmark.js';
import { commitOf } from './frame/commit.js';
import { machineFacts } from './frame/machine.js';
import { Progress } from './frame/progress.js';
import { describeMachine, keepResult } from './frame/report.js';
import { repository, resultsDirectory } from './frame/results.js';
import { runBenchmarks } from './frame/run-benchmarks.js';
import { describeSummary, summaryLine, summaryPage } from './frame/summary.js';
import type { Survey } from './frame/survey.js';

const defaultPairs = { full: 4, quick: 1 };
const help = `npm run bench -- [ID… | all] [--json] [--quick] [--pairs N]

${benchmarks.map((one) => `  ${one.id.padEnd(4)} ${one.title}${'gate' in one ? ` (gate ${one.gate}, goal ${one.goal})` : ''}`).join('\n')}

  --json      one JSON line per benchmark on stdout and nothing else; after all of them one of id "all"
  --quick     fewer items, one pair: to see that it works
  --pairs N   pairs of A and B (${defaultPairs.full})

Exits 1 when a gate is missed or a law was broken. Each result is added to bench/results/<ID>.jsonl, and those of the
command are in bench/results/table.md.`;

interface Options {
  chosen: (Benchmark | Survey)[];
  json: boolean;
  quick: boolean;
  pairs: number;
}

process.exitCode = await main();

async function main(): Promise<number> {
  let options: Options | undefined;
  try {
    options = readOptions(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n\n${help}\n`);
    return 2;
  }
  if (options === undefined) {
    process.stdout.write(`${help}\n`);
    return 0;
  }
  const directory = join(repository, '.holdfast', `bench-${process.pid}`);
  mkdirSync(directory, { recursive: true });
  const life = new Lifecycle(createLogger('bench', options.json ? 'silent' : 'warn'), 30_000);
  const interrupted = (): void => void life.close().then(() => process.exit(130));
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted);
  try {
    return await run(options, directory, life);
  } finally {
    await life.close();
    process.off('SIGINT', interrupted).off('SIGTERM', interrupted);
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Undefined when only help is wanted; throws with what is wrong. */
function readOptions(args: string[]): Options | undefined {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      help: { type: 'boolean', short: 'h', default: false },
      json: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      pairs: { type: 'string' },
    },
  });
  if (values.help) return undefined;
  const pairs = Number(values.pairs ?? (values.quick ? defaultPairs.quick : defaultPairs.full));
  if (!Number.isInteger(pairs) || pairs < 1) throw new Error('--pairs wants a whole number of at least 1');
  const wanted = positionals.length === 0 ? ['all'] : positionals;
  const unknown = wanted.filter((word) => !benchmarks.some((one) => isMeant(one, word)));
  if (unknown.length > 0) throw new Error(`no such benchmark: ${unknown.join(', ')}`);
  const chosen = benchmarks.filter((one) => wanted.some((word) => isMeant(one, word)));
  return { chosen, json: values.json, quick: values.quick, pairs };
}

/** `P1` means P1a and P1b, which measure one thing against two rivals, and `growth` all that begin with it. */
function isMeant(one: Benchmark | Survey, word: string): boolean {
  return (word === 'all' && !('apart' in one)) || word === one.id || word === one.id.replace(/(?<=\d)[a-z]$|-.*/, '');
}

async function run({ chosen, json, quick, pairs }: Options, directory: string, life: Lifecycle): Promise<number> {
  const facts = { commit: commitOf(repository), quick, machine: machineFacts(directory) };
  if (!json) process.stdout.write(`${describeMachine(facts.machine)}\n`);
  const progress = new Progress(process.stderr, resultsDirectory, chosen, quick);
  const shared = new ServersOfRun({ directory, life, report: (text) => progress.say(text) });
  const { lines, reports } = await runBenchmarks(chosen, {
    ...{ facts, pairs, directory, life, shared, progress },
    onEnded: (line, { text }) => {
      keepResult(resultsDirectory, line);
      process.stdout.write(`${json ? JSON.stringify(line) : text}\n`);
    },
  });
  const summary = summaryLine(lines, facts, progress.seconds);
  const isAll = benchmarks.every((one) => 'apart' in one || chosen.includes(one));
  if (isAll) keepResult(resultsDirectory, summary);
  if (json && isAll) process.stdout.write(`${JSON.stringify(summary)}\n`);
  if (!json && chosen.length > 1) process.stdout.write(`\n${describeSummary(reports)}\n`);
  const command = ['npm run bench --', ...process.argv.slice(2)].join(' ');
  writeFileSync(join(resultsDirectory, 'table.md'), summaryPage(reports, facts, command));
  return summary.gates_met && summary.invariants_ok ? 0 : 1;
}
