import { assert, suite } from '#libs/testing/suite.js';
import type { Arm } from './benchmark.js';
import { brokenLaws, median, runPaired } from './paired-runs.js';

const test = suite('paired runs');

/** Arms that write down when they run, at the given rates one after the other. */
function arms(rates: Record<string, number[]>, violations: Record<string, string[]> = {}) {
  const order: string[] = [];
  const armOf = (name: string): Arm => ({
    name,
    run: async () => {
      order.push(name);
      const items = rates[name]?.shift() ?? 1;
      return { items, durationMs: 1000, counters: { items }, violations: violations[name] ?? [] };
    },
  });
  return { order, armOf };
}

const silent = (): void => {};

test('four pairs run A B B A A B B A, then what is only reported', async () => {
  const { order, armOf } = arms({});
  await runPaired({ a: armOf('A'), b: armOf('B'), reported: [armOf('C')] }, 4, silent);
  assert.is(order.join(''), 'ABBAABBAC');
});

test('each A is compared with the B beside it', async () => {
  const { armOf } = arms({ A: [100, 30], B: [10, 10] });
  const { ratio } = await runPaired({ a: armOf('A'), b: armOf('B'), reported: [] }, 2, silent);
  assert.equal(ratio, { median: 6.5, lo: 3, hi: 10 });
});

test('counters are medians over the runs of an arm', async () => {
  const { armOf } = arms({ A: [1, 5, 9, 100], B: [1, 1, 1, 1] });
  const { a } = await runPaired({ a: armOf('A'), b: armOf('B'), reported: [] }, 4, silent);
  assert.equal(a.counters, { items: 7 });
});

test('a broken law ends the runs and leaves no ratio', async () => {
  const { order, armOf } = arms({ A: [9], B: [1] }, { B: ['one unit sold twice'] });
  const outcome = await runPaired({ a: armOf('A'), b: armOf('B'), reported: [] }, 3, silent);
  assert.is(order.join(''), 'AB');
  assert.is(outcome.ratio, undefined);
  assert.equal(brokenLaws(outcome), ['B: one unit sold twice']);
});

test('an arm that did nothing leaves no ratio', async () => {
  const { armOf } = arms({ A: [9], B: [0] });
  const outcome = await runPaired({ a: armOf('A'), b: armOf('B'), reported: [] }, 1, silent);
  assert.is(outcome.ratio, undefined);
  assert.equal(brokenLaws(outcome), ['B: it did nothing in its time']);
});

test('the median of an even number is the mean of the two in the middle', () => {
  assert.is(median([4, 1, 3, 2]), 2.5);
  assert.is(median([3, 1, 2]), 2);
  assert.ok(Number.isNaN(median([])));
});

test.run();
