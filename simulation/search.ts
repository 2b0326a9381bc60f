import type { Rule } from './planted.js';
import { runSchedule, scheduleOf } from './run-schedule.js';

/** Seeds to be run one after the other. */
export interface Job {
  readonly from: number;
  readonly count: number;
  /** What the model does without. */
  readonly rules: readonly Rule[];
}

/** What came of a job, which ends at the first broken law. */
export interface Found {
  readonly checked: number;
  readonly broken?: { readonly seed: number; readonly law: string; readonly what: string };
}

export function search({ from, count, rules }: Job): Found {
  const without = new Set(rules);
  for (let seed = from; seed < from + count; seed += 1) {
    const broken = runSchedule(scheduleOf(seed), without);
    if (broken) return { checked: seed - from + 1, broken: { seed, ...broken } };
  }
  return { checked: count };
}
