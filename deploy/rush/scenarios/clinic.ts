import type { Random } from '../random.js';
import { type Person, person, type Scenario, type ScenarioSku, slot } from '../scenario.js';

const HOT_STORE = 'clinic-hot';
const COLD_STORES = 11;
const OPENS = { opensAtMs: 0 };

/** Twelve clinics open at one instant; everybody wants the first slot of one of them. */
export function clinic(random: Random): Scenario {
  const hotSkus = [
    slot({ skuId: 'hot-0', storeId: HOT_STORE, capacity: 40, ...OPENS }),
    ...Array.from({ length: 10 }, (_, i) => slot({ skuId: `hot-${i + 1}`, storeId: HOT_STORE, capacity: 4, ...OPENS })),
  ];
  const crowd = Array.from({ length: 900 }, (_, i) =>
    person({
      userId: `patient-${i}`,
      storeId: HOT_STORE,
      arrivesAtMs: random.next() * 1000,
      lines: [{ skuId: 'hot-0', quantity: 1 }],
    }),
  );
  const cold = Array.from({ length: COLD_STORES }, (_, i) => coldClinic(`clinic-${i + 1}`, random));
  return {
    name: 'clinic',
    about: '12 stores open at one instant; 900 people want one slot of 40, 10 come to each of the others',
    skus: [...hotSkus, ...cold.flatMap(({ skus }) => skus)],
    people: [...crowd, ...cold.flatMap(({ people }) => people)],
  };
}

/** Four slots of ten units and ten people: nobody here can be told a true no. */
function coldClinic(storeId: string, random: Random): { skus: ScenarioSku[]; people: Person[] } {
  const skus = Array.from({ length: 4 }, (_, i) => slot({ skuId: `${storeId}-${i}`, storeId, capacity: 10, ...OPENS }));
  const people = Array.from({ length: 10 }, (_, i) =>
    person({
      userId: `${storeId}-patient-${i}`,
      storeId,
      arrivesAtMs: random.next() * 1000,
      lines: [{ skuId: `${storeId}-${random.integer(0, 3)}`, quantity: 1 }],
    }),
  );
  return { skus, people };
}
