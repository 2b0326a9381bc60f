import type { FaultReason } from '#libs/refusal/fault.js';

/**
 * What stays of a try under its mark. STORE: its answer, told again from now on. FORGET: nothing, for nothing happened and the
 * next try is as good as the first. LEAVE: that there was one; the next try is carried out, and is not the first.
 */
export type Remainder = 'STORE' | 'FORGET' | 'LEAVE';

/** How a try can end: with an outcome of Reserve, with the answer to another change (OK), or with a status. */
export type EndOfTry = 'HELD' | 'PENDING' | 'REFUSED' | 'REFUSED_UNTIL_OPENING' | 'WAITLISTED' | 'OK' | FaultReason;

/** The table of docs/idempotency.md, which a test compares with this one. */
export const remainders: Readonly<Record<EndOfTry, Remainder>> = {
  HELD: 'STORE',
  PENDING: 'STORE',
  REFUSED: 'STORE',
  // The same request_id works when the sale opens.
  REFUSED_UNTIL_OPENING: 'FORGET',
  WAITLISTED: 'STORE',
  OK: 'STORE',

  // What is wrong stands in the request, or in what it names: nothing was taken or changed.
  INVALID_REQUEST: 'FORGET',
  REQUEST_ID_REUSED: 'FORGET',
  REQUEST_ID_NOT_ISSUED: 'FORGET',
  REQUEST_IDS_NOT_ISSUED: 'FORGET',
  CURRENCY_MIXED: 'FORGET',
  TOKEN_MISSING: 'FORGET',
  TOKEN_EXPIRED: 'FORGET',
  TOKEN_INVALID: 'FORGET',
  NOTICE_NOT_BELIEVED: 'FORGET',
  PERMISSION_DENIED: 'FORGET',
  METHOD_UNKNOWN: 'FORGET',
  ORDER_NOT_FOUND: 'FORGET',
  PAYMENT_NOT_FOUND: 'FORGET',
  CANCEL_TOO_LATE: 'FORGET',
  SKU_NOT_FOUND: 'FORGET',
  WAITLIST_ENTRY_NOT_FOUND: 'FORGET',
  JOB_NOT_FOUND: 'FORGET',
  WEBHOOK_ENDPOINT_NOT_FOUND: 'FORGET',
  WEBHOOK_ENDPOINTS_FULL: 'FORGET',
  PLAN_NOT_FOUND: 'FORGET',
  ALERT_NOT_FOUND: 'FORGET',
  DEAD_LETTER_NOT_FOUND: 'FORGET',
  SKU_EXISTS: 'FORGET',
  SWITCH_CHANGED: 'FORGET',
  PLAN_STALE: 'FORGET',
  RECONCILE_UNDER_WAY: 'FORGET',
  DEAD_LETTER_RESOLVED: 'FORGET',
  ETAG_MISMATCH: 'FORGET',
  ORDER_PENDING: 'FORGET',
  ORDER_STATE: 'FORGET',
  PAYMENTS_NOT_OFFERED: 'FORGET',
  CAPACITY_BELOW_TAKEN: 'FORGET',

  // Nobody knows how far it came, or how far another try is.
  REQUEST_IN_PROGRESS: 'LEAVE',
  RATE_LIMITED: 'LEAVE',
  BUSY: 'LEAVE',
  TOO_LATE: 'LEAVE',
  CANCELLED: 'LEAVE',
  UNAVAILABLE: 'LEAVE',
  INTERNAL: 'LEAVE',
};

/**
 * What stays of a try that ended so. Only a try that was surely the first may be forgotten: of an earlier one something
 * may still be under way, and the next try must not pass for the first.
 */
export function endingOf(end: EndOfTry, { isSurelyFirst }: { isSurelyFirst: boolean }): Remainder {
  const remainder = remainders[end];
  return remainder === 'FORGET' && !isSurelyFirst ? 'LEAVE' : remainder;
}
