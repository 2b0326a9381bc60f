/** What of a sku's stock and terms says whether an order can be let in. Times by the ledger's clock. */
export interface Terms {
  readonly free: number;
  readonly paused: boolean;
  readonly startsAt?: Date | undefined;
  readonly onSaleAt?: Date | undefined;
  readonly offSaleAt?: Date | undefined;
}

/** Far beyond any sale, and exact as a double. */
const NEVER_MS = 8_640_000_000_000_000;

/** From when until when a sku is sold, in milliseconds of the ledger's time: `fromMs <= now < untilMs`. */
export function saleWindow(terms: Terms): { fromMs: number; untilMs: number } {
  if (terms.paused) return { fromMs: 0, untilMs: 0 };
  return {
    fromMs: terms.onSaleAt?.getTime() ?? 0,
    untilMs: Math.min(terms.offSaleAt?.getTime() ?? NEVER_MS, terms.startsAt?.getTime() ?? NEVER_MS),
  };
}

/** Whether the ledger's word already says no: not on sale now, or fewer units free than wanted. */
export function saysNo(terms: Terms, wanted: number, now: Date): boolean {
  const { fromMs, untilMs } = saleWindow(terms);
  const nowMs = now.getTime();
  return nowMs < fromMs || nowMs >= untilMs || terms.free < wanted;
}
