import type { Random } from '../random.js';
import { person, type Scenario, type ScenarioLine, slot } from '../scenario.js';

const STORE = 'bakery';
const SKUS = 30;
const PEOPLE = 300;

/** Orders of two or three lines over thirty skus with little stock, in any order: all lines of an order or none. */
export function basket(random: Random): Scenario {
  const skuIds = Array.from({ length: SKUS }, (_, i) => `cake-${i}`);
  return {
    name: 'basket',
    about: '300 orders of 2 or 3 lines over 30 skus with little stock, lines in any order, some naming a sku twice',
    skus: skuIds.map((skuId) =>
      slot({ skuId, storeId: STORE, capacity: random.integer(4, 12), perUserLimit: 4, maxPerOrder: 4 }),
    ),
    people: Array.from({ length: PEOPLE }, (_, i) =>
      person({
        userId: `guest-${i}`,
        storeId: STORE,
        arrivesAtMs: random.next() * 300,
        lines: basketLines(random, skuIds),
      }),
    ),
  };
}

/** In one basket of eight the first sku is named a second time. */
function basketLines(random: Random, skuIds: readonly string[]): ScenarioLine[] {
  const lines = random
    .shuffled(skuIds)
    .slice(0, random.integer(2, 3))
    .map((skuId): ScenarioLine => ({ skuId, quantity: random.integer(1, 2) }));
  const first = lines[0];
  if (first && random.integer(1, 8) === 1) lines[lines.length - 1] = { skuId: first.skuId, quantity: 1 };
  return lines;
}
