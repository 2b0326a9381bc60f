import { Fault, type Violation } from '#libs/refusal/fault.js';
import { busyViolations, rateViolations } from './limit-violations.js';
import { isId } from './lines.js';
import type { Sku } from './rows.js';
import { waitlistViolations } from './waitlist-violations.js';

/** A sku as it shall be. What operators cannot set is left out. */
export interface SkuToPut
  extends Omit<
    Sku,
    | 'cancelledAt'
    | 'overbooked'
    | 'etag'
    | 'onBusy'
    | 'latePayment'
    | 'freeCancelSeconds'
    | 'lateCancel'
    | 'onSoldOut'
    | 'waitlist'
    | 'waitlistPaused'
  > {
  /** QUEUE or FAIL. */
  onBusy: string;
  /** RETAKE_IF_FREE or REFUND. Absent, as with all that follow: as it is; of a new sku RETAKE_IF_FREE. */
  latePayment?: string;
  /** Null: a cancel is always free, as of a new sku. */
  freeCancelSeconds?: number | null;
  /** REFUSE or NO_REFUND; of a new sku REFUSE. */
  lateCancel?: string;
  /** REFUSE or JOIN_WAITLIST; of a new sku REFUSE. */
  onSoldOut?: string;
  waitlist?: WaitlistToPut;
}

/** How a sku shall serve who waits; of a new one 100,000 entries, STRICT, 3 skips, AUTO. */
export interface WaitlistToPut {
  max?: number;
  /** STRICT or FIRST_FIT. */
  order?: string;
  skips?: number;
  /** AUTO or OFFER. */
  accept?: string;
  /** Null: as long as a hold, as of a new sku. */
  offerTtlSeconds?: number | null;
}

/** 100 lines of an order at the most expensive stay below 2^53. */
const MAX_ORDER_AMOUNT_MINOR = 90_000_000_000_000;

const ranges = [
  ['capacity', 'capacity', 0, 1_000_000_000],
  ['perUserLimit', 'per_user_limit', 1, 1_000_000],
  ['maxPerOrder', 'max_per_order', 1, 1_000_000],
  ['holdTtlSeconds', 'hold_ttl_seconds', 1, 2_678_400],
  ['priceMinor', 'price_minor', 0, MAX_ORDER_AMOUNT_MINOR],
] as const;

/** Everything about a sku that the ledger would not take; empty when it is well formed. */
export function skuViolations(sku: SkuToPut): Violation[] {
  const violations: Violation[] = [];
  const demand = (holds: boolean, field: string, description: string): void => {
    if (!holds) violations.push({ field, description });
  };
  for (const [name, field] of [
    ['skuId', 'sku_id'],
    ['storeId', 'store_id'],
  ] as const) {
    demand(isId(sku[name]), field, 'must be 1 to 128 printable ASCII characters without spaces');
  }
  demand(
    sku.limitGroup === undefined || isId(sku.limitGroup),
    'limit_group',
    'must be 1 to 128 printable ASCII characters without spaces',
  );
  for (const [name, field, low, high] of ranges) {
    const value = sku[name];
    demand(
      Number.isInteger(value) && value >= low && value <= high,
      field,
      `must be a whole number, ${low} to ${high}`,
    );
  }
  const { latePayment = 'REFUND', freeCancelSeconds, lateCancel = 'REFUSE' } = sku;
  demand(['RETAKE_IF_FREE', 'REFUND'].includes(latePayment), 'late_payment', 'must be RETAKE_IF_FREE or REFUND');
  demand(['REFUSE', 'NO_REFUND'].includes(lateCancel), 'late_cancel', 'must be REFUSE or NO_REFUND');
  const longest = 31_622_400;
  const seconds = freeCancelSeconds ?? 0;
  demand(
    Number.isInteger(seconds) && seconds >= 0 && seconds <= longest,
    'free_cancel_seconds',
    `must be a whole number, 0 to ${longest}`,
  );
  violations.push(...rateViolations(sku.rateLimit), ...busyViolations(sku.onBusy), ...waitlistViolations(sku));
  demand(/^\P{Cc}{1,500}$/u.test(sku.title), 'title', 'must be 1 to 500 characters, none of them a control character');
  demand(/^[A-Z]{3}$/.test(sku.currency), 'currency', 'must be an ISO 4217 code');
  demand(sku.priceMinor * sku.maxPerOrder <= MAX_ORDER_AMOUNT_MINOR, 'price_minor', 'times max_per_order is too much');
  demand(
    isTimeZone(sku.timeZone) || (!sku.startsAt && sku.timeZone === ''),
    'time_zone',
    'must be an IANA name, and be there with starts_at',
  );
  for (const [name, field] of [
    ['startsAt', 'starts_at'],
    ['onSaleAt', 'on_sale_at'],
    ['offSaleAt', 'off_sale_at'],
  ] as const) {
    const instant = sku[name];
    demand(!instant || isInstant(instant), field, 'must be an instant between the years 1970 and 9999');
  }
  const closesAt = Math.min(sku.offSaleAt?.getTime() ?? Infinity, sku.startsAt?.getTime() ?? Infinity);
  demand(!sku.onSaleAt || sku.onSaleAt.getTime() < closesAt, 'on_sale_at', 'must be before off_sale_at and starts_at');
  return violations;
}

/** Throws Fault INVALID_REQUEST with every violation of a sku, or of the etag. */
export function refuseMalformedSku(sku: SkuToPut, etag: string | undefined): undefined {
  const violations = skuViolations(sku);
  if (etag !== undefined && !/^[1-9][0-9]{0,17}$/.test(etag)) {
    violations.push({ field: 'etag', description: 'must be one that was read' });
  }
  if (violations.length > 0) throw new Fault('INVALID_REQUEST', 'the sku is not well formed', { violations });
}

function isInstant(instant: Date): boolean {
  return instant.getTime() >= 0 && instant.getUTCFullYear() <= 9999;
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '' && name !== '';
  } catch {
    return false;
  }
}
