/** One who waited for a sku, as the ledger keeps it. */
export interface EntryFacts {
  entryId: string;
  skuId: string;
  userId: string;
  /** Number of the arrival at the sku. */
  place: number;
  state: string;
  barred: string | null;
  joinedAt: Date;
  updatedAt: Date;
  /** When an order was born for it; null: never. */
  offeredAt: Date | null;
}

/** A unit that went to an order which was no offer. */
export interface TakingFacts {
  orderId: string;
  skuId: string;
  reason: string;
  at: Date;
}

/**
 * People who waited for a sku and were not served before somebody who had no right to come before them: a sentence each.
 * Pure. Skus are served in strict order, and nobody waits for two things, so that everybody is eligible from joining to
 * being offered an order, or to leaving, or until the slot begins. What counts, for one who waits:
 *
 * - somebody with a later place joined earlier: arrival numbers are not in the order of arrival;
 * - an order was born for somebody with a later place, and the one's own came later or never. That the head wants more
 *   than there is excuses nothing: what is left is kept for it;
 * - while the one waited, a unit went to a newcomer, to an order from another sku, or to late money.
 *
 * One transaction on a sku follows the other, each at an instant of the ledger's, in whole milliseconds. Two with the same
 * instant count for nothing: which was first cannot be said.
 */
export function overtaken(entries: readonly EntryFacts[], takings: readonly TakingFacts[]): string[] {
  return entries.flatMap((one) => {
    const same = entries.filter(({ skuId }) => skuId === one.skuId);
    const until = waitsUntil(one);
    const early = same.find(({ place, joinedAt }) => place > one.place && joinedAt < one.joinedAt);
    if (early) return [`${nameOf(one)} has a place before ${nameOf(early)}, who joined earlier`];
    const passer = same.find(({ place, offeredAt }) => place > one.place && offeredAt && isBefore(offeredAt, until));
    if (passer) return [`${nameOf(one)} was overtaken by ${nameOf(passer)}`];
    const taking = takings.find(({ skuId, at }) => skuId === one.skuId && one.joinedAt < at && isBefore(at, until));
    return taking ? [`${nameOf(one)} waited while order ${taking.orderId} took a unit (${taking.reason})`] : [];
  });
}

/** Undefined: for ever. */
function waitsUntil({ state, offeredAt, updatedAt }: EntryFacts): Date | undefined {
  if (offeredAt) return offeredAt;
  return state === 'WAITING' ? undefined : updatedAt;
}

function isBefore(at: Date, until: Date | undefined): boolean {
  return until === undefined || at < until;
}

function nameOf({ userId, skuId, place }: EntryFacts): string {
  return `${userId} (${skuId}, place ${place})`;
}
