import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Benchmark } from './benchmark.js';
import { describeJudged, gatesMet, type Judged, judgedFigures, rounded } from './bounds.js';
import type { MachineFacts } from './machine.js';
import { type ArmSummary, brokenLaws, type Outcome } from './paired-runs.js';
import type { Findings, Survey } from './survey.js';

/** What is the same for all that one command measures. */
export interface RunFacts {
  commit: string;
  quick: boolean;
  machine: MachineFacts;
}

/** What came of a benchmark or a survey. */
export interface Report {
  id: string;
  judged: Judged[];
  /** Laws that did not hold, in words: then there are no figures. */
  broken: string[];
  /** What a reader of the figures should know. */
  notes: string[];
  /** What else the line has. */
  data: object;
  /** For people. */
  text: string;
}

/** One line of a results file, and of stdout with --json. */
export interface Line extends RunFacts {
  id: string;
  at: string;
  took_s: number;
  fsync_us: number;
  gates_met: boolean;
  invariants_ok: boolean;
}

/** The line of a benchmark that did not fail. */
export interface ResultLine extends Line {
  arms: Record<string, { rate: number; rates: number[] }>;
  counters: Record<string, Record<string, number>>;
}

const busyShare = 'driver_busy_share';
const mostBusy = 0.8;

/** The outcome of a benchmark. */
export function reportOutcome(benchmark: Benchmark, outcome: Outcome): Report {
  const { id, title, unit, gate, goal } = benchmark;
  const { a, b, reported, ratio } = outcome;
  const judged = judgedFigures(benchmark, outcome);
  const broken = brokenLaws(outcome);
  const notes = describeDriver(outcome);
  const arms = [a, b, ...reported].filter(({ rates }) => rates.length > 0);
  const text = [
    ...describeArm('A', a, unit),
    ...describeArm('B', b, unit),
    ...reported.flatMap((arm) => describeArm(`${((arm.rate / a.rate) * 100).toFixed(0)} % of A`, arm, unit)),
  ];
  const data = {
    unit,
    arms: Object.fromEntries(arms.map((arm) => [arm.name, { rate: rounded(arm.rate), rates: arm.rates.map(rounded) }])),
    ...(ratio && { ratio: rounded(ratio.median), lo: rounded(ratio.lo), hi: rounded(ratio.hi) }),
    ...{ gate, goal },
    counters: Object.fromEntries(arms.map((arm) => [arm.name, roundedAll(arm.counters)])),
  };
  return { id, judged, broken, notes, data, text: describe({ id, title, text, judged, broken, notes }) };
}

/** What a survey found. */
export function reportFindings({ id, title }: Survey, { text, figures, violations, judged = [] }: Findings): Report {
  const common = { id, judged, broken: violations, notes: [] };
  return { ...common, data: { figures }, text: describe({ ...common, title, text: [text] }) };
}

/** That it ended without a result, which meets no gate and shows no law to hold. */
export function reportFailure({ id, title }: Benchmark | Survey, error: unknown): Report {
  const [message, stack] = error instanceof Error ? [error.message, error.stack] : [String(error)];
  const broken = [`it failed: ${message}`];
  const common = { id, judged: [], broken, notes: [] };
  return { ...common, data: { error: message }, text: describe({ ...common, title, text: [stack ?? message] }) };
}

/** The line of a report. */
export function lineOf({ id, judged, broken, notes, data }: Report, facts: RunFacts, tookS: number): Line {
  return {
    ...{ id, at: new Date().toISOString(), ...facts, took_s: rounded(tookS), fsync_us: facts.machine.fsync_us },
    ...data,
    ...(notes.length > 0 && { notes }),
    ...(broken.length > 0 && { broken }),
    gates_met: broken.length === 0 && gatesMet(judged),
    invariants_ok: broken.length === 0,
  };
}

/** Adds the line to `<directory>/<id>.jsonl`. */
export function keepResult(directory: string, line: { id: string }): void {
  mkdirSync(directory, { recursive: true });
  appendFileSync(join(directory, `${line.id}.jsonl`), `${JSON.stringify(line)}\n`);
}

/** The machine for people, on one line. */
export function describeMachine(machine: MachineFacts): string {
  return (
    `${machine.cores} cores (${machine.cpu}), ${machine.memory_gb} GB, fsync ${machine.fsync_us} us, ` +
    `Node ${machine.node}, Postgres ${machine.postgres}, Redis ${machine.redis}, NATS ${machine.nats}`
  );
}

interface Described extends Pick<Report, 'id' | 'judged' | 'broken' | 'notes'> {
  title: string;
  text: string[];
}

function describe({ id, title, text, judged, broken, notes }: Described): string {
  const verdict =
    broken.length > 0
      ? ['  VOID, a law was broken or not looked at:', ...broken.map((law) => `    ${law}`)]
      : describeJudged(judged);
  return [`${id}  ${title}`, ...text, ...verdict, ...notes.map((note) => `  ${note}`)].join('\n');
}

function describeArm(mark: string, arm: ArmSummary, unit: string): string[] {
  if (arm.rates.length === 0) return [];
  const rates = arm.rates.map((rate) => rate.toFixed(0)).join(' ');
  const counters = Object.entries(arm.counters).map(([name, value]) => `      ${name} ${rounded(value)}`);
  return [`  ${mark}: ${arm.name}: ${arm.rate.toFixed(0)} ${unit} (${rates})`, ...counters];
}

/** Whether the load generator, which has one thread, may be what was measured. */
function describeDriver({ a, b }: Outcome): string[] {
  const [inA, inB] = [a, b].map(({ counters }) => (counters[busyShare] ?? 0) > mostBusy);
  if (inA && inB) return ['the load generator was busy nearly all the time in both arms: it is what was measured'];
  if (inA) return ['the load generator was busy nearly all the time in A alone: the ratio may be greater'];
  if (inB) return ['the load generator was busy nearly all the time in B alone: the ratio may be smaller'];
  return [];
}

function roundedAll(counters: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(counters).map(([name, value]) => [name, rounded(value)]));
}
