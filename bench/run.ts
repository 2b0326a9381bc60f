// npm run bench -- [ID… | all] [--json] [--quick] [--rounds N]: see README.md beside this file.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Lifecycle } from '#libs/runtime/lifecycle.js';
import { createLogger } from '#libs/runtime/logger.js';
import { benchmarks } from './benchmarks.js';
import type { Benchmark, BenchmarkContext } from './frame/benchmark.js';
import { type MachineFacts, machineFacts } from './frame/machine.js';
import { runPaired } from './frame/paired-runs.js';
import {
  describeFindings,
  describeMachine,
  describeOutcome,
  findingsLine,
  keepResult,
  resultLine,
} from './frame/report.js';
import { repository, resultsDirectory } from './frame/results.js';
import type { Survey } from './frame/survey.js';

const help = `npm run bench -- [ID… | all] [--json] [--quick] [--rounds N]

${benchmarks.map((one) => `  ${one.id.padEnd(4)} ${one.title}${'gate' in one ? ` (gate ${one.gate}, goal ${one.goal})` : ''}`).join('\n')}

  --json      one JSON line per benchmark on stdout and nothing else
  --quick     fewer items, one round: to see that it works
  --rounds N  rounds of A B B A (3)

Exits 1 when a gate is missed or a law was broken. Each result is added to bench/results/<ID>.jsonl.`;

interface Options {
  chosen: (Benchmark | Survey)[];
  json: boolean;
  quick: boolean;
  rounds: number;
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
  try {
    return await runAll(options, directory);
  } finally {
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
      rounds: { type: 'string' },
    },
  });
  if (values.help) return undefined;
  const rounds = Number(values.rounds ?? (values.quick ? 1 : 3));
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds wants a whole number of at least 1');
  const wanted = positionals.length === 0 ? ['all'] : positionals;
  const unknown = wanted.filter((word) => !benchmarks.some((one) => isMeant(one, word)));
  if (unknown.length > 0) throw new Error(`no such benchmark: ${unknown.join(', ')}`);
  const chosen = benchmarks.filter((one) => wanted.some((word) => isMeant(one, word)));
  return { chosen, json: values.json, quick: values.quick, rounds };
}

/** `P1` means P1a and P1b, which measure one thing against two rivals, and `growth` all that begin with it. */
function isMeant(one: Benchmark | Survey, word: string): boolean {
  return (word === 'all' && !('apart' in one)) || word === one.id || word === one.id.replace(/(?<=\d)[a-z]$|-.*/, '');
}

async function runAll(options: Options, directory: string): Promise<number> {
  const machine = machineFacts(directory);
  if (!options.json) process.stdout.write(`${describeMachine(machine)}\n`);
  let passed = true;
  for (const benchmark of options.chosen) {
    passed = (await runOne(benchmark, machine, options, join(directory, benchmark.id))) && passed;
  }
  return passed ? 0 : 1;
}

/** Whether its gates were met and its laws held. */
async function runOne(
  benchmark: Benchmark | Survey,
  machine: MachineFacts,
  { json, quick, rounds }: Options,
  directory: string,
): Promise<boolean> {
  const life = new Lifecycle(createLogger('bench', json ? 'silent' : 'warn'), 30_000);
  const interrupted = (): void => void life.close().then(() => process.exit(130));
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted);
  const progress = (text: string): void => showProgress(`${benchmark.id} ${text}`);
  try {
    mkdirSync(directory, { recursive: true });
    progress('starting what it needs');
    const context = { quick, directory, life, progress };
    const { line, text } = await ('survey' in benchmark
      ? surveyed(benchmark, machine, context)
      : compared(benchmark, machine, context, rounds));
    keepResult(resultsDirectory, line);
    showProgress('');
    process.stdout.write(`${json ? JSON.stringify(line) : text}\n`);
    return line.gates_met && line.invariants_ok;
  } finally {
    process.off('SIGINT', interrupted).off('SIGTERM', interrupted);
    await life.close();
  }
}

async function compared(benchmark: Benchmark, machine: MachineFacts, context: BenchmarkContext, rounds: number) {
  const outcome = await runPaired(await benchmark.open(context), rounds, context.progress);
  const line = resultLine(benchmark, outcome, machine, context.quick);
  return { line, text: describeOutcome(benchmark, outcome, line) };
}

async function surveyed(survey: Survey, machine: MachineFacts, context: BenchmarkContext) {
  const findings = await survey.survey(context);
  const line = findingsLine(survey, findings, machine, context.quick);
  return { line, text: describeFindings(survey, findings) };
}

/** One line of a terminal, written over by the next; nothing where nobody watches. */
function showProgress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[2K${text}`);
}
