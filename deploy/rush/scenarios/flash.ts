import type { Random } from '../random.js';
import { person, type Scenario, slot } from '../scenario.js';

const STORE = 'shop';
const SKU = 'sneaker';

/** A thousand units and five thousand people in flight at once, each asking three times with one key. */
export function flash(random: Random): Scenario {
  return {
    name: 'flash',
    about: '1,000 units and 5,000 people at once, 1 to 3 units each, every request sent twice more with the same key',
    skus: [slot({ skuId: SKU, storeId: STORE, capacity: 1000, perUserLimit: 3, maxPerOrder: 3 })],
    people: Array.from({ length: 5000 }, (_, i) =>
      person({
        userId: `buyer-${i}`,
        storeId: STORE,
        arrivesAtMs: 0,
        lines: [{ skuId: SKU, quantity: random.integer(1, 3) }],
        repeats: [random.next() * 200, 'after'],
      }),
    ),
  };
}
