import type { Lifecycle } from '#libs/runtime/lifecycle.js';
import type { ServersOfRun } from '../drivers/servers-of-run.js';

/** One run of one arm: so many items in so much time, and what was seen on the way. */
export interface ArmRun {
  items: number;
  durationMs: number;
  /** Figures of this run by name, unit last; the report shows the median over the runs. */
  counters: Record<string, number>;
  /** Laws that did not hold afterwards, in words. One is enough to void the benchmark. */
  violations: string[];
}

/** One way of doing the work. Each run starts from the same state and leaves nothing behind for the next. */
export interface Arm {
  name: string;
  run(): Promise<ArmRun>;
}

/** What `open` gave: servers are up, arms can be run. Whatever has to be closed is with the lifecycle. */
export interface OpenBenchmark {
  /** The system under test and its denominator. */
  a: Arm;
  b: Arm;
  /** Further arms, compared with the median of `a` and not gated. */
  reported: Arm[];
}

export interface BenchmarkContext {
  /** Fewer items and one round: to see that it works, not how fast. */
  quick: boolean;
  /** A folder of this run on the repository's disk; it is removed afterwards. */
  directory: string;
  /** Closed when the benchmark has ended or was interrupted. */
  life: Lifecycle;
  /** What other benchmarks of the run use too. */
  shared: Pick<ServersOfRun, 'mesh' | 'ledgerCopies' | 'stopMesh' | 'stopLargeMesh'>;
  /** Says what is going on, for a person at a terminal. */
  progress(text: string): void;
}

/** Between what and what a figure must lie, both included. */
export interface Range {
  atLeast?: number;
  atMost?: number;
}

/** What a counter must come to, besides the ratio. */
export interface Bound {
  /** The name of an arm and of one of its counters. */
  arm: string;
  counter: string;
  /** Missing it fails the benchmark. Absent: only a goal. */
  gate?: Range;
  goal: Range;
}

/** A ratio of two arms with the gate it must pass and the goal it is after. */
export interface Benchmark {
  id: string;
  title: string;
  /** Whether it runs on the mesh that benchmarks share, which is stopped after the last of them. */
  sharesMesh?: boolean;
  /** What a rate counts, as in "orders/s". */
  unit: string;
  gate: number;
  goal: number;
  bounds?: readonly Bound[];
  open(context: BenchmarkContext): Promise<OpenBenchmark>;
}

/** Items per second. */
export function rateOf(run: ArmRun): number {
  return run.items / (run.durationMs / 1000);
}

/** The arm, and the rates of its runs so far, which arms that run after it can go by. */
export function rated(arm: Arm): { arm: Arm; rates: number[] } {
  const rates: number[] = [];
  const run = async (): Promise<ArmRun> => {
    const done = await arm.run();
    rates.push(rateOf(done));
    return done;
  };
  return { arm: { ...arm, run }, rates };
}
