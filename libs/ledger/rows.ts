import type { OrderLine } from '#libs/contracts/order-lines.js';
import type { LimitScope, Refusal, RefusalReason } from '#libs/refusal/refusal.js';
import { toWaiting, type Waiting, type WaitingRow } from './waitlist-terms.js';

/** Where an order is in its life, once the ledger knows it. */
export type OrderState = 'HELD' | 'CONFIRMED' | 'FULFILLED' | 'CANCELLED' | 'EXPIRED' | 'REFUSED';

/** A line of an order, with what it cost. */
export interface LedgerLine extends OrderLine {
  /** Price of one unit in minor units when the order was born. */
  unitPriceMinor: number;
}

/** An order as the ledger has it. Lines are summed by sku and attendee and sorted. */
export interface LedgerOrder {
  orderId: string;
  storeId: string;
  userId: string;
  requestId: string;
  state: OrderState;
  /** Rises by one with each change of state, lines or expiry. */
  version: number;
  lines: LedgerLine[];
  /** Minor units of the currency; 0 for a REFUSED order. */
  amountMinor: number;
  currency: string;
  createdAt: Date;
  /** While HELD: when it gives its units back. */
  expiresAt?: Date;
  /** While REFUSED: why. */
  refusal?: Refusal;
  /** What is shown at the door, unique in the store; from CONFIRMED on. */
  code?: string;
  /** While FULFILLED: since when. */
  fulfilledAt?: Date;
  /** The waitlist entry that it was offered to. */
  entryId?: string;
  /** When its hold was prolonged, which happens once. */
  extendedAt?: Date;
  /** Who booked it: its user, or staff of the store. */
  channel: 'APP' | 'STAFF';
}

/** How many requests for a sku are let through. Both 1..1,000,000. */
export interface RateLimit {
  perSecond: number;
  burst: number;
}

/** What becomes of a request beyond the rate limit: a place in line, or a refusal. */
export type OnBusy = 'QUEUE' | 'FAIL';

/** What becomes of money that comes after its order ended: units are taken anew if they are free, or it goes back. */
export type LatePayment = 'RETAKE_IF_FREE' | 'REFUND';

/** What becomes of a user's cancel when it is not free any more. */
export type LateCancel = 'REFUSE' | 'NO_REFUND';

/** A sku's description and terms. Amounts in minor units, instants by the ledger's clock. */
export interface Sku extends Waiting {
  skuId: string;
  storeId: string;
  title: string;
  capacity: number;
  overbooked: number;
  startsAt?: Date;
  /** IANA name; empty for a product. */
  timeZone: string;
  onSaleAt?: Date;
  offSaleAt?: Date;
  perUserLimit: number;
  maxPerOrder: number;
  holdTtlSeconds: number;
  paymentRequired: boolean;
  priceMinor: number;
  currency: string;
  /** Absent: none of its own. */
  rateLimit?: RateLimit;
  onBusy: OnBusy;
  /** The group of its store whose limit holds for it, too. */
  limitGroup?: string;
  latePayment: LatePayment;
  /** Until so long before startsAt a user's cancel of what is confirmed is free; absent: always. */
  freeCancelSeconds?: number;
  lateCancel: LateCancel;
  paused: boolean;
  /** Its sale was cancelled then, for good. */
  cancelledAt?: Date;
  etag: string;
}

/** Where the units of a sku are, and the terms that a gate needs. */
export interface SkuStock {
  skuId: string;
  storeId: string;
  capacity: number;
  overbooked: number;
  free: number;
  reserved: number;
  held: number;
  sold: number;
  /** Rises by one with each change of units or terms. */
  version: number;
  onSaleAt?: Date;
  offSaleAt?: Date;
  startsAt?: Date;
  paused: boolean;
  cancelledAt?: Date;
  perUserLimit: number;
  maxPerOrder: number;
  /** Earliest expiry of a hold; it may lie in the past until the hold is swept. */
  nextReleaseAt?: Date;
}

/** An instant as the driver gives it in a column (Date) or within JSON (string). */
export type Instant = Date | string;

/** A refusal as it stands in a row. */
export interface RefusalRow {
  reason: RefusalReason;
  sku_id: string;
  free?: number;
  next_release_at?: string;
  opens_at?: string;
  closed_at?: string;
  slot_past?: boolean;
  limit?: number;
  own_order_id?: string;
  scope?: Exclude<LimitScope, 'SKU'>;
}

/** A row of the view order_rows. */
export interface OrderRow {
  order_id: string;
  store_id: string;
  user_id: string;
  request_id: string;
  state: OrderState;
  version: number;
  refusal: RefusalRow | null;
  amount_minor: number;
  currency: string;
  created_at: Instant;
  expires_at: Instant | null;
  lines: { sku_id: string; attendee_id: string; quantity: number; unit_price_minor: number }[] | null;
  entry_id: string | null;
  code: string | null;
  fulfilled_at: Instant | null;
  extended_at: Instant | null;
  channel: LedgerOrder['channel'];
}

/** A row of the view sku_rows. */
export interface SkuRow extends WaitingRow {
  sku_id: string;
  store_id: string;
  title: string;
  starts_at: Instant | null;
  time_zone: string;
  on_sale_at: Instant | null;
  off_sale_at: Instant | null;
  per_user_limit: number;
  max_per_order: number;
  hold_ttl_seconds: number;
  payment_required: boolean;
  price_minor: number;
  currency: string;
  rate_per_second: number | null;
  rate_burst: number | null;
  on_busy: OnBusy;
  limit_group: string | null;
  late_payment: LatePayment;
  free_cancel_seconds: number | null;
  late_cancel: LateCancel;
  paused: boolean;
  cancelled_at: Instant | null;
  etag: number;
  capacity: number;
  overbooked: number;
  free: number;
  reserved: number;
  held: number;
  sold: number;
  stock_version: number;
  next_release_at: Instant | null;
}

/** A row of order_rows, from a column or from within JSON, as an order. */
export function toOrder(row: OrderRow): LedgerOrder {
  return {
    orderId: row.order_id,
    storeId: row.store_id,
    userId: row.user_id,
    requestId: row.request_id,
    state: row.state,
    version: row.version,
    lines: (row.lines ?? []).map((line) => ({
      skuId: line.sku_id,
      quantity: line.quantity,
      attendeeId: line.attendee_id,
      unitPriceMinor: line.unit_price_minor,
    })),
    amountMinor: row.amount_minor,
    currency: row.currency,
    createdAt: toDate(row.created_at),
    channel: row.channel,
    ...(row.expires_at && { expiresAt: toDate(row.expires_at) }),
    ...(row.refusal && { refusal: toRefusal(row.refusal) }),
    ...(row.entry_id && { entryId: row.entry_id }),
    ...(row.code && { code: row.code }),
    ...(row.fulfilled_at && { fulfilledAt: toDate(row.fulfilled_at) }),
    ...(row.extended_at && { extendedAt: toDate(row.extended_at) }),
  };
}

/** What a row says of a refusal, as the refusal. */
export function toRefusal(row: RefusalRow): Refusal {
  return {
    reason: row.reason,
    skuId: row.sku_id,
    ...(row.free !== undefined && { free: row.free }),
    ...(row.next_release_at && { nextReleaseAt: toDate(row.next_release_at) }),
    ...(row.opens_at && { opensAt: toDate(row.opens_at) }),
    ...(row.closed_at && { closedAt: toDate(row.closed_at) }),
    ...(row.slot_past && { slotPast: true }),
    ...(row.limit !== undefined && { limit: row.limit }),
    ...(row.scope && { scope: row.scope }),
    ...(row.own_order_id && { ownOrderId: row.own_order_id }),
  };
}

/** A row of sku_rows as the sku that an operator sees. */
export function toSku(row: SkuRow): Sku {
  return {
    skuId: row.sku_id,
    storeId: row.store_id,
    title: row.title,
    capacity: row.capacity,
    overbooked: row.overbooked,
    ...(row.starts_at && { startsAt: toDate(row.starts_at) }),
    timeZone: row.time_zone,
    ...(row.on_sale_at && { onSaleAt: toDate(row.on_sale_at) }),
    ...(row.off_sale_at && { offSaleAt: toDate(row.off_sale_at) }),
    perUserLimit: row.per_user_limit,
    maxPerOrder: row.max_per_order,
    holdTtlSeconds: row.hold_ttl_seconds,
    paymentRequired: row.payment_required,
    priceMinor: row.price_minor,
    currency: row.currency,
    ...toRateLimit(row),
    onBusy: row.on_busy,
    ...(row.limit_group !== null && { limitGroup: row.limit_group }),
    latePayment: row.late_payment,
    ...(row.free_cancel_seconds !== null && { freeCancelSeconds: row.free_cancel_seconds }),
    lateCancel: row.late_cancel,
    paused: row.paused,
    ...toWaiting(row),
    ...(row.cancelled_at && { cancelledAt: toDate(row.cancelled_at) }),
    etag: String(row.etag),
  };
}

/** The rate limit of a row, as the property that is left out when it has none. */
export function toRateLimit(row: { rate_per_second: number | null; rate_burst: number | null }): {
  rateLimit?: RateLimit;
} {
  if (row.rate_per_second === null || row.rate_burst === null) return {};
  return { rateLimit: { perSecond: row.rate_per_second, burst: row.rate_burst } };
}

/** A row of sku_rows as the stock that a gate sees. */
export function toSkuStock(row: SkuRow): SkuStock {
  return {
    skuId: row.sku_id,
    storeId: row.store_id,
    capacity: row.capacity,
    overbooked: row.overbooked,
    free: row.free,
    reserved: row.reserved,
    held: row.held,
    sold: row.sold,
    version: row.stock_version,
    ...(row.on_sale_at && { onSaleAt: toDate(row.on_sale_at) }),
    ...(row.off_sale_at && { offSaleAt: toDate(row.off_sale_at) }),
    ...(row.starts_at && { startsAt: toDate(row.starts_at) }),
    paused: row.paused,
    ...(row.cancelled_at && { cancelledAt: toDate(row.cancelled_at) }),
    perUserLimit: row.per_user_limit,
    maxPerOrder: row.max_per_order,
    ...(row.next_release_at && { nextReleaseAt: toDate(row.next_release_at) }),
  };
}

/** An instant, however it came. */
export function toDate(instant: Instant): Date {
  return instant instanceof Date ? instant : new Date(instant);
}

/** Whether a text is an instant as pages name it: ISO 8601 in UTC with milliseconds. */
export function isInstant(text: string): boolean {
  const instant = new Date(text);
  return !Number.isNaN(instant.getTime()) && instant.toISOString() === text;
}
