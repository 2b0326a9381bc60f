/** What of a sku's terms says when it is sold. Times by the ledger's clock. */
export interface Terms {
  readonly paused: boolean;
  /** Since then never again. */
  readonly cancelledAt?: Date | undefined;
  readonly startsAt?: Date | undefined;
  readonly onSaleAt?: Date | undefined;
  readonly offSaleAt?: Date | undefined;
}

/** Far beyond any sale, and exact as a double. */
const NEVER_MS = 8_640_000_000_000_000;

/** From when until when a sku is sold, in milliseconds of the ledger's time: `fromMs <= now < untilMs`. */
export function saleWindow(terms: Terms): { fromMs: number; untilMs: number } {
  if (terms.paused || terms.cancelledAt) return { fromMs: 0, untilMs: 0 };
  return {
    fromMs: terms.onSaleAt?.getTime() ?? 0,
    untilMs: Math.min(terms.offSaleAt?.getTime() ?? NEVER_MS, terms.startsAt?.getTime() ?? NEVER_MS),
  };
}
