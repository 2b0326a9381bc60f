import { type Arm, type ArmRun, type OpenBenchmark, rateOf } from './benchmark.js';

/** All runs of one arm. */
export interface ArmSummary {
  name: string;
  /** Median rate over the runs, items per second. */
  rate: number;
  rates: number[];
  /** Medians over the runs. */
  counters: Record<string, number>;
  violations: string[];
}

/** What a benchmark came to. */
export interface Outcome {
  a: ArmSummary;
  b: ArmSummary;
  reported: ArmSummary[];
  /** Median of the paired ratios a / b with the least and the greatest of them; absent when a law was broken. */
  ratio?: { median: number; lo: number; hi: number };
}

/**
 * Runs `pairs` of A and B, every other one the other way round, as A B B A: whatever drifts on the machine meanwhile weighs
 * on both arms alike. Stops at the first broken law, because what follows would measure a wrong system.
 */
export async function runPaired(
  open: OpenBenchmark,
  pairs: number,
  progress: (text: string) => void,
): Promise<Outcome> {
  const { a, b, reported } = open;
  const order = Array.from({ length: pairs }, (_, pair) => (pair % 2 === 0 ? [a, b] : [b, a])).flat();
  const runs = new Map<Arm, ArmRun[]>([...new Set([a, b, ...reported])].map((arm) => [arm, []]));
  const schedule = [...order, ...reported];
  for (const [position, arm] of schedule.entries()) {
    progress(`run ${position + 1} of ${schedule.length}: ${arm.name}`);
    const run = await arm.run();
    // Whatever is divided by it would be without end.
    if (run.items === 0) run.violations.push('it did nothing in its time');
    runs.get(arm)?.push(run);
    if (run.violations.length > 0) break;
  }
  const summaryOf = (arm: Arm): ArmSummary => summarise(arm.name, runs.get(arm) ?? []);
  const outcome: Outcome = { a: summaryOf(a), b: summaryOf(b), reported: reported.map(summaryOf) };
  if (brokenLaws(outcome).length === 0) outcome.ratio = ratioOf(outcome.a.rates, outcome.b.rates);
  return outcome;
}

/** Every broken law with the arm that broke it. */
export function brokenLaws(outcome: Outcome): string[] {
  return [outcome.a, outcome.b, ...outcome.reported].flatMap((arm) =>
    arm.violations.map((violation) => `${arm.name}: ${violation}`),
  );
}

/** The middle value; of an even number, the mean of the two in the middle. NaN of none. */
export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return low === undefined || high === undefined ? Number.NaN : (low + high) / 2;
}

function ratioOf(a: number[], b: number[]): { median: number; lo: number; hi: number } {
  const ratios = a.map((rate, pair) => rate / (b[pair] ?? Number.NaN));
  return { median: median(ratios), lo: Math.min(...ratios), hi: Math.max(...ratios) };
}

function summarise(name: string, runs: ArmRun[]): ArmSummary {
  const rates = runs.map(rateOf);
  const names = new Set(runs.flatMap((run) => Object.keys(run.counters)));
  const counters = [...names].map((counter): [string, number] => [
    counter,
    median(runs.map((run) => run.counters[counter] ?? 0)),
  ]);
  return {
    name,
    rate: median(rates),
    rates,
    counters: Object.fromEntries(counters),
    violations: runs.flatMap((run) => run.violations),
  };
}
