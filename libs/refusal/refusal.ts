/** Why an order gets no units. The same words as holdfast.order.v1.RefusalReason without its prefix. */
export type RefusalReason =
  | 'NOT_ENOUGH'
  | 'ALL_HELD'
  | 'SOLD_OUT'
  | 'NOT_ON_SALE'
  | 'LIMIT_REACHED'
  | 'MAX_PER_ORDER'
  | 'PAUSED'
  | 'UNPROCESSABLE'
  | 'WAITLIST_FULL'
  | 'PRICE_DIFFERS'
  | 'SALE_CANCELLED'
  | 'ALREADY_BOOKED';

/** Over what a limit counts: one sku, a store, a group of its skus, or a user's orders in a store. */
export type LimitScope = 'SKU' | 'STORE' | 'GROUP' | 'OPEN_ORDERS' | 'UNFULFILLED';

/** An expected no: an answer, not an error. Plain data, so that refusing a crowd stays cheap. */
export interface Refusal {
  reason: RefusalReason;
  /** The sku that the no is about. */
  skuId: string;
  /** Units that are free; with NOT_ENOUGH. */
  free?: number;
  /** Earliest expiry of a hold; with ALL_HELD. */
  nextReleaseAt?: Date;
  /** With NOT_ON_SALE before the opening: the same request works from this instant on. */
  opensAt?: Date;
  /** With NOT_ON_SALE after the closing. */
  closedAt?: Date;
  /** With NOT_ON_SALE: the slot has begun. */
  slotPast?: boolean;
  /** The figure that was exceeded; with LIMIT_REACHED, ALREADY_BOOKED and MAX_PER_ORDER. */
  limit?: number;
  /** Over what; with LIMIT_REACHED. Absent: over the sku. */
  scope?: Exclude<LimitScope, 'SKU'>;
  /** The caller's own newest live order that counts; with ALREADY_BOOKED, and with LIMIT_REACHED when there is one. */
  ownOrderId?: string;
}
