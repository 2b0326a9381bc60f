import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Lifecycle } from '#libs/runtime/lifecycle.js';
import type { Benchmark, BenchmarkContext } from './benchmark.js';
import { runPaired } from './paired-runs.js';
import type { Progress } from './progress.js';
import {
  type Line,
  lineOf,
  type Report,
  type RunFacts,
  reportFailure,
  reportFindings,
  reportOutcome,
} from './report.js';
import type { Survey } from './survey.js';

export interface RunOptions {
  facts: RunFacts;
  /** Of A and B. */
  pairs: number;
  directory: string;
  /** Of the run: it is interrupted by its end. */
  life: Lifecycle;
  shared: BenchmarkContext['shared'];
  progress: Pick<Progress, 'next' | 'say' | 'clear'>;
  onEnded(line: Line, report: Report): void;
}

/** Runs one after the other. One that throws has failed, and the others go on. */
export async function runBenchmarks(
  chosen: readonly (Benchmark | Survey)[],
  options: RunOptions,
): Promise<{ lines: Line[]; reports: Report[] }> {
  const { facts, shared, progress, onEnded } = options;
  const lines: Line[] = [];
  const reports: Report[] = [];
  for (const [index, benchmark] of chosen.entries()) {
    progress.next();
    const begun = performance.now();
    const report = await runOne(benchmark, options).catch((error: unknown) => reportFailure(benchmark, error));
    const line = lineOf(report, facts, (performance.now() - begun) / 1_000);
    reports.push(report);
    lines.push(line);
    progress.clear();
    onEnded(line, report);
    const isLastOfMesh = !chosen.slice(index + 1).some(({ sharesMesh }) => sharesMesh);
    // Nobody knows in what state it is after that.
    if (isLastOfMesh || !line.invariants_ok) await shared.stopMesh();
    else await shared.stopLargeMesh();
  }
  return { lines, reports };
}

async function runOne(benchmark: Benchmark | Survey, options: RunOptions): Promise<Report> {
  const { facts, pairs, life: runLife, shared, progress } = options;
  const directory = join(options.directory, benchmark.id);
  mkdirSync(directory, { recursive: true });
  const life = new Lifecycle(runLife.logger, 30_000);
  runLife.closer(benchmark.id, () => life.close());
  try {
    progress.say('starting what it needs');
    const context: BenchmarkContext = {
      ...{ quick: facts.quick, directory, life, shared },
      progress: (text) => progress.say(text),
    };
    if ('survey' in benchmark) return reportFindings(benchmark, await benchmark.survey(context));
    const open = await benchmark.open(context);
    return reportOutcome(benchmark, await runPaired(open, pairs, context.progress));
  } finally {
    await life.close();
  }
}
