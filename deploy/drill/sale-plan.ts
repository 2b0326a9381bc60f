import { type Random, seededRandom } from '../rush/random.js';
import { type Person, person, type Scenario, type ScenarioSku, slot } from '../rush/scenario.js';

/** The sale of a drill: a steady crowd, whatever becomes of its requests, and a fault in its middle. */
export interface SalePlan {
  seed: number;
  /** People who arrive in a second. */
  perSecond: number;
  /** From the first arrival to the fault, how long the fault lasts, and how long people arrive after it is healed. */
  beforeMs: number;
  faultMs: number;
  afterMs: number;
  /** From the fault to what an operator does about it, where one does. */
  actAfterMs: number;
  /** How long a hold lasts, in seconds. */
  holdTtlSeconds: number;
  /** How long after the arrival a refused person still comes back. */
  patienceMs: number;
}

/** What a drill sells unless it says otherwise. */
export const usualPlan: SalePlan = {
  seed: 1,
  perSecond: 60,
  beforeMs: 2_500,
  faultMs: 4_000,
  afterMs: 3_500,
  actAfterMs: 0,
  holdTtlSeconds: 900,
  patienceMs: 0,
};

/** How many hundredths of the crowd want which sku, and how much there is of it: a share of what is wanted. */
export const DEMAND = [
  { sku: 'plenty-1', store: 'north', share: 30, supply: 100 },
  { sku: 'plenty-2', store: 'south', share: 20, supply: 100 },
  { sku: 'plenty-3', store: 'west', share: 10, supply: 100 },
  // Sold out in the middle of the fault, and soon after the beginning: every no must be true, too.
  { sku: 'scarce', store: 'north', share: 30, supply: 0.45 },
  { sku: 'last', store: 'south', share: 10, supply: 0.05 },
] as const;

/** Of which sku most people want one: there is enough of it for all. */
export const HOTTEST = 'plenty-1';
/** The sku that is sold out in the middle of the sale. */
export const SCARCE = 'scarce';

/** Faults and their healing may take longer than planned; people come until then, but not for ever. */
const MOST_OVERTIME_MS = 120_000;

/**
 * The crowd as data, with more people than come as a rule: each wants one unit and presses once; one of five presses
 * again meanwhile, and one of ten once the answer is there, with the same key.
 */
export function saleOf(plan: SalePlan): Scenario {
  const random = seededRandom(plan.seed);
  const plannedMs = plan.beforeMs + plan.faultMs + plan.afterMs;
  const peopleWithin = (ms: number): number => Math.round((plan.perSecond * ms) / 1_000);
  return {
    name: 'drill',
    about: '',
    skus: DEMAND.map((demand) => skuOf(demand, peopleWithin(plannedMs), plan)),
    people: Array.from({ length: peopleWithin(plannedMs + MOST_OVERTIME_MS) }, (_, index) =>
      personOf(index, plan, random),
    ),
  };
}

function skuOf({ sku, store, share, supply }: (typeof DEMAND)[number], people: number, plan: SalePlan): ScenarioSku {
  return slot({
    skuId: sku,
    storeId: store,
    capacity: Math.max(1, Math.round((people * share * supply) / 100)),
    // More than anybody wants: a limit of one would hide a second order for the same press.
    perUserLimit: 3,
    holdTtlSeconds: plan.holdTtlSeconds,
  });
}

function personOf(index: number, plan: SalePlan, random: Random): Person {
  const { sku, store } = wantedBy(random.integer(0, 99));
  const repeats: Person['repeats'] = [];
  if (index % 5 === 0) repeats.push(random.integer(1, 400));
  if (index % 10 === 1) repeats.push('after');
  return person({
    userId: `guest-${index}`,
    storeId: store,
    arrivesAtMs: ((index + random.next()) * 1_000) / plan.perSecond,
    lines: [{ skuId: sku, quantity: 1 }],
    repeats,
    patienceMs: plan.patienceMs,
  });
}

function wantedBy(hundredth: number): (typeof DEMAND)[number] {
  let below = 0;
  for (const demand of DEMAND) {
    below += demand.share;
    if (hundredth < below) return demand;
  }
  return DEMAND[0];
}
