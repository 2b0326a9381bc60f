import fc from 'fast-check';
import type { Rule } from './planted.js';
import { runSchedule, type Schedule } from './run-schedule.js';
import { STEPS, type Step } from './steps.js';

/** Simplifying the numbers of what is left ends after so long. */
const SIMPLIFY_MS = 5_000;

/** A schedule of as few steps as can be found that breaks the same law. */
export function shrink({ setup, steps }: Schedule, rules: ReadonlySet<Rule>, law: string): Schedule {
  const isBroken = (some: readonly Step[]): boolean => runSchedule({ setup, steps: some }, rules)?.law === law;
  return { setup, steps: withoutMore(simplified(withoutMore(steps, isBroken), isBroken), isBroken) };
}

/** Takes out halves, quarters, and so on down to single steps, for as long as that helps. */
function withoutMore(steps: readonly Step[], isBroken: (steps: readonly Step[]) => boolean): readonly Step[] {
  let left = steps;
  for (let size = Math.ceil(left.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = left.length - size; from > -size; from -= size) {
      const fewer = [...left.slice(0, Math.max(0, from)), ...left.slice(from + size)];
      if (fewer.length < left.length && isBroken(fewer)) left = fewer;
    }
  }
  return left;
}

/** Smaller numbers are simpler: an earlier process, a plainer fate, less time. */
function simplified(steps: readonly Step[], isBroken: (steps: readonly Step[]) => boolean): readonly Step[] {
  const property = fc.property(fc.array(fc.nat(STEPS - 1), { maxLength: steps.length }), (some) => !isBroken(some));
  const { counterexample } = fc.check(property, {
    examples: [[[...steps]]],
    numRuns: 1,
    interruptAfterTimeLimit: SIMPLIFY_MS,
  });
  return counterexample?.[0] ?? steps;
}
