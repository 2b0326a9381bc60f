import type { Random } from '../random.js';
import { type Person, person, type Scenario, slot } from '../scenario.js';

const STORE = 'studio';
const SKU = 'pottery';
const PEOPLE = 60;
const PARENTS = PEOPLE / 10;

/** Six seats. Impatient people press five times; pairs of parents book the same child, who gets one seat at most. */
export function classScenario(random: Random): Scenario {
  const people = Array.from({ length: PEOPLE }, (_, i): Person => {
    const child = i < PARENTS ? { attendeeId: `child-${Math.floor(i / 2)}` } : {};
    return person({
      userId: i < PARENTS ? `parent-${i}` : `guest-${i}`,
      storeId: STORE,
      arrivesAtMs: random.next() * 500,
      lines: [{ skuId: SKU, quantity: 1, ...child }],
    });
  });
  const impatient = new Set(random.shuffled(people).slice(0, PEOPLE / 2));
  return {
    name: 'class',
    about: '6 seats and 60 people; half press five times with one key, six are parents who book three children twice',
    skus: [slot({ skuId: SKU, storeId: STORE, capacity: 6 })],
    people: people.map((one) =>
      impatient.has(one) ? { ...one, repeats: Array.from({ length: 4 }, () => random.next() * 400) } : one,
    ),
  };
}
