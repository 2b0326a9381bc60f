/** What becomes of a claim when too few units are free: a refusal, or a place in the line of those who wait. */
export type OnSoldOut = 'REFUSE' | 'JOIN_WAITLIST';

/** How a sku serves who waits for it. */
export interface WaitlistTerms {
  /** Entries that wait at once, 0..1,000,000. */
  max: number;
  /** STRICT: who wants more than is left keeps it until there is enough. FIRST_FIT: smaller ones behind are served. */
  order: 'STRICT' | 'FIRST_FIT';
  /** With FIRST_FIT: how often an entry may be passed over, 0..1000. */
  skips: number;
  /** AUTO: what costs nothing is an order at once. OFFER: it is to be accepted. */
  accept: 'AUTO' | 'OFFER';
  /** How long an offer is kept; absent: as long as a hold. */
  offerTtlSeconds?: number;
}

/** What of a sku is about those who come when it is sold out. */
export interface Waiting {
  onSoldOut: OnSoldOut;
  waitlist: WaitlistTerms;
  /** Whether an operator stopped serving who waits. */
  waitlistPaused: boolean;
}

/** The columns of it. */
export interface WaitingRow {
  on_sold_out: OnSoldOut;
  waitlist_max: number;
  waitlist_order: WaitlistTerms['order'];
  waitlist_skips: number;
  waitlist_accept: WaitlistTerms['accept'];
  offer_ttl_seconds: number | null;
  waitlist_paused: boolean;
}

/** Its columns as the sku tells it. */
export function toWaiting(row: WaitingRow): Waiting {
  return {
    onSoldOut: row.on_sold_out,
    waitlist: {
      max: row.waitlist_max,
      order: row.waitlist_order,
      skips: row.waitlist_skips,
      accept: row.waitlist_accept,
      ...(row.offer_ttl_seconds !== null && { offerTtlSeconds: row.offer_ttl_seconds }),
    },
    waitlistPaused: row.waitlist_paused,
  };
}
