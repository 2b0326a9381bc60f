import type { Random } from '../random.js';
import { person, type Scenario, slot } from '../scenario.js';

const STORE = 'salon';

/** Two slots of one unit: a steady stream of people at the first, everybody within a millisecond at the second. */
export function salon(random: Random): Scenario {
  const customer = (kind: string, skuId: string, withinMs: number) => (_: unknown, i: number) =>
    person({
      userId: `${kind}-${i}`,
      storeId: STORE,
      arrivesAtMs: random.next() * withinMs,
      lines: [{ skuId, quantity: 1 }],
    });
  return {
    name: 'salon',
    about: '1 unit and 130 people within 4 seconds; another unit and 18 people within one millisecond',
    skus: [
      slot({ skuId: 'morning', storeId: STORE, capacity: 1 }),
      slot({ skuId: 'noon', storeId: STORE, capacity: 1 }),
    ],
    people: [
      ...Array.from({ length: 130 }, customer('customer', 'morning', 4000)),
      ...Array.from({ length: 18 }, customer('sprinter', 'noon', 1)),
    ],
  };
}
