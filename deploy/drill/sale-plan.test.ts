import { assert, suite } from '#libs/testing/suite.js';
import { HOTTEST, SCARCE, saleOf, usualPlan } from './sale-plan.js';

const test = suite('drill sale');

test('people arrive at a steady rate, whatever happens, and beyond the plan', () => {
  const { people } = saleOf(usualPlan);
  const within = (fromMs: number): number =>
    people.filter(({ arrivesAtMs }) => arrivesAtMs >= fromMs && arrivesAtMs < fromMs + 1_000).length;
  for (const fromMs of [0, 3_000, 60_000]) assert.ok(Math.abs(within(fromMs) - usualPlan.perSecond) <= 1, `${fromMs}`);
});

test('the same seed is the same crowd, another one another', () => {
  const firstPeople = (seed: number) => saleOf({ ...usualPlan, seed }).people.slice(0, 20);
  assert.equal(firstPeople(1), firstPeople(1));
  assert.not.equal(firstPeople(1), firstPeople(2));
});

test('of the scarce sku the last unit goes in the middle of the fault, of the hottest there is enough for all', () => {
  const { people, skus } = saleOf(usualPlan);
  const capacity = (skuId: string): number => skus.find((sku) => sku.skuId === skuId)?.capacity ?? 0;
  const wanted = (skuId: string): number[] =>
    people.filter(({ lines }) => lines[0]?.skuId === skuId).map(({ arrivesAtMs }) => arrivesAtMs);
  const goneAt = wanted(SCARCE)[capacity(SCARCE)] ?? 0;
  assert.ok(goneAt > usualPlan.beforeMs && goneAt < usualPlan.beforeMs + usualPlan.faultMs, `${goneAt}`);
  assert.ok(capacity(HOTTEST) > wanted(HOTTEST).length);
});

test('a second order for the same press would be seen: nobody wants as many as one may have', () => {
  const { people, skus } = saleOf(usualPlan);
  assert.ok(skus.every(({ perUserLimit }) => perUserLimit > 1));
  assert.is(new Set(people.map(({ userId }) => userId)).size, people.length);
  assert.ok(people.some(({ repeats }) => repeats.includes('after')));
});

test.run();
