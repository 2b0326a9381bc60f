import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Benchmark } from './benchmark.js';
import { describeJudged, gatesMet, judgedCounters } from './bounds.js';
import type { MachineFacts } from './machine.js';
import { type ArmSummary, brokenLaws, type Outcome } from './paired-runs.js';
import type { Findings, Survey } from './survey.js';

/** What every line of a results file has. */
interface Line {
  id: string;
  at: string;
  quick: boolean;
  machine: MachineFacts;
  fsync_us: number;
  gates_met: boolean;
  invariants_ok: boolean;
}

/** The line of a survey. */
export interface FindingsLine extends Line {
  figures: object;
}

/** The line of a benchmark. */
export interface ResultLine extends Line {
  unit: string;
  arms: Record<string, { rate: number; rates: number[] }>;
  /** Absent, with lo and hi, when a law was broken: then there is no figure. */
  ratio?: number;
  lo?: number;
  hi?: number;
  gate: number;
  goal: number;
  counters: Record<string, Record<string, number>>;
}

/** Joins a benchmark's outcome with the machine it ran on. */
export function resultLine(benchmark: Benchmark, outcome: Outcome, machine: MachineFacts, quick: boolean): ResultLine {
  const arms = [outcome.a, outcome.b, ...outcome.reported].filter(({ rates }) => rates.length > 0);
  const { ratio } = outcome;
  return {
    id: benchmark.id,
    at: new Date().toISOString(),
    quick,
    unit: benchmark.unit,
    arms: Object.fromEntries(arms.map((arm) => [arm.name, { rate: rounded(arm.rate), rates: arm.rates.map(rounded) }])),
    ...(ratio && { ratio: rounded(ratio.median), lo: rounded(ratio.lo), hi: rounded(ratio.hi) }),
    gate: benchmark.gate,
    goal: benchmark.goal,
    counters: Object.fromEntries(arms.map((arm) => [arm.name, roundedAll(arm.counters)])),
    machine,
    fsync_us: machine.fsync_us,
    gates_met:
      ratio !== undefined &&
      ratio.median >= benchmark.gate &&
      gatesMet(judgedCounters(benchmark.bounds ?? [], outcome)),
    invariants_ok: brokenLaws(outcome).length === 0,
  };
}

/** Joins what a survey found with the machine it ran on. */
export function findingsLine(
  { id }: Survey,
  { figures, violations, judged = [] }: Findings,
  machine: MachineFacts,
  quick: boolean,
): FindingsLine {
  const verdict = { gates_met: gatesMet(judged), invariants_ok: violations.length === 0 };
  return { id, at: new Date().toISOString(), quick, figures, machine, fsync_us: machine.fsync_us, ...verdict };
}

/** Adds the line to `<directory>/<id>.jsonl`. */
export function keepResult(directory: string, line: ResultLine | FindingsLine): void {
  mkdirSync(directory, { recursive: true });
  appendFileSync(join(directory, `${line.id}.jsonl`), `${JSON.stringify(line)}\n`);
}

/** The outcome for people. */
export function describeOutcome(benchmark: Benchmark, outcome: Outcome, line: ResultLine): string {
  const { a, b, reported } = outcome;
  const broken = brokenLaws(outcome);
  const verdict =
    broken.length > 0
      ? describeBroken(broken)
      : [
          `  ratio ${line.ratio} (${line.lo} to ${line.hi} over ${a.rates.length} pairs), ` +
            `gate ${benchmark.gate} ${(line.ratio ?? 0) >= benchmark.gate ? 'met' : 'MISSED'}, ` +
            `goal ${benchmark.goal} ${(line.ratio ?? 0) >= benchmark.goal ? 'met' : 'open'}`,
          ...describeJudged(judgedCounters(benchmark.bounds ?? [], outcome)),
        ];
  return [
    `${benchmark.id}  ${benchmark.title}`,
    ...describeArm('A', a, benchmark.unit),
    ...describeArm('B', b, benchmark.unit),
    ...reported.flatMap((arm) => describeArm(`${percent(arm.rate / a.rate)} of A`, arm, benchmark.unit)),
    ...verdict,
  ].join('\n');
}

/** What a survey found, for people. */
export function describeFindings({ id, title }: Survey, { text, violations, judged = [] }: Findings): string {
  const verdict = violations.length > 0 ? describeBroken(violations) : describeJudged(judged);
  return [`${id}  ${title}`, text, ...verdict].join('\n');
}

/** The machine for people, on one line. */
export function describeMachine(machine: MachineFacts): string {
  return (
    `${machine.cores} cores (${machine.cpu}), ${machine.memory_gb} GB, fsync ${machine.fsync_us} us, ` +
    `Node ${machine.node}, Postgres ${machine.postgres}, Redis ${machine.redis}, NATS ${machine.nats}`
  );
}

function describeBroken(laws: readonly string[]): string[] {
  return ['  VOID, a law was broken:', ...laws.map((law) => `    ${law}`)];
}

function describeArm(mark: string, arm: ArmSummary, unit: string): string[] {
  if (arm.rates.length === 0) return [];
  const rates = arm.rates.map((rate) => rate.toFixed(0)).join(' ');
  const counters = Object.entries(arm.counters).map(([name, value]) => `      ${name} ${rounded(value)}`);
  return [`  ${mark}: ${arm.name}: ${arm.rate.toFixed(0)} ${unit} (${rates})`, ...counters];
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}

function roundedAll(counters: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(counters).map(([name, value]) => [name, rounded(value)]));
}

/** Four significant digits, whole numbers whole: more would be noise. */
function rounded(value: number): number {
  return Number.isInteger(value) ? value : Number(value.toPrecision(4));
}
