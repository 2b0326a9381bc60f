import type { OnBusy, Rate } from './limit-change.js';

/** A sku's terms as they shall be; what is absent, empty or 0 takes its default. */
export interface SkuDraft {
  skuId: string;
  storeId: string;
  title: string;
  capacity: number;
  startsAt?: Date | undefined;
  timeZone: string;
  onSaleAt?: Date | undefined;
  offSaleAt?: Date | undefined;
  perUserLimit: number;
  maxPerOrder: number;
  holdTtlSeconds: number;
  paymentRequired: boolean;
  /** In minor units of the currency. */
  priceMinor: number;
  currency: string;
  rate?: Rate | undefined;
  onBusy?: OnBusy | undefined;
  /** When it is sold out. */
  onSoldOut?: 'refuse' | 'join_waitlist' | undefined;
  /** What becomes of money that comes after its hold is gone. */
  latePayment?: 'retake_if_free' | 'refund' | undefined;
  /** Until how long before its start a cancel is free. */
  freeCancelSeconds?: number | 'always' | undefined;
  /** What becomes of a cancel that comes later. */
  lateCancel?: 'refuse' | 'no_refund' | undefined;
  /** The group of its store whose limit holds for it, too; empty: none. */
  limitGroup?: string;
}

/** How those are served who wait for a sku. */
export interface WaitlistTerms {
  maxEntries: number;
  order: 'strict' | 'first_fit';
  /** With first_fit: how often one may be passed over. */
  maxSkips: number;
  accept: 'auto' | 'offer';
  offerTtlSeconds: number;
}

/** A sku as it is. */
export interface Sku extends SkuDraft {
  /** Units beyond capacity that an operator let stand. */
  overbooked: number;
  paused: boolean;
  waitlist: WaitlistTerms;
  /** Nobody who waits is served meanwhile. */
  waitlistPaused: boolean;
  /** Its sale was cancelled then, for good. */
  cancelledAt?: Date | undefined;
}

/** Where its units are, and what a buyer is told. */
export interface SkuUnits {
  /** available, all_held or sold_out. */
  state: string;
  free: number;
  reserved: number;
  held: number;
  sold: number;
  nextReleaseAt?: Date | undefined;
  opensInMs: number;
  onSale: boolean;
}

/** A sku and where its units are. */
export interface StockedSku {
  sku: Sku;
  units: SkuUnits;
}
