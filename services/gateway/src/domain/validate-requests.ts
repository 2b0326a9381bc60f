import type { Violation } from '#libs/refusal/fault.js';
import { checkCurrency, checkId, checkInstant, checkLongId, checkPage, checkReason } from './fields.js';
import { checkLines, type OrderAsked } from './validate-reserve.js';

const skuIdsMax = 100;

interface Page {
  pageSize: number;
  pageToken: string;
}

export function validateOrderId(request: { orderId: string }): Violation[] {
  const violations: Violation[] = [];
  checkId(violations, 'order_id', request.orderId);
  return violations;
}

export function validateCancel(request: { orderId: string; requestId: string; reason: string }): Violation[] {
  const violations = validateOrderId(request);
  checkLongId(violations, 'request_id', request.requestId);
  checkReason(violations, request.reason);
  return violations;
}

export function validateEntryId(request: { entryId: string }): Violation[] {
  const violations: Violation[] = [];
  checkId(violations, 'entry_id', request.entryId);
  return violations;
}

export function validateEntryChange(request: { entryId: string; requestId: string; reason: string }): Violation[] {
  const violations = validateEntryId(request);
  checkLongId(violations, 'request_id', request.requestId);
  checkReason(violations, request.reason);
  return violations;
}

/** A change of an order that says nothing besides which order. */
export function validateChange(request: { orderId: string; requestId: string }): Violation[] {
  const violations = validateOrderId(request);
  checkLongId(violations, 'request_id', request.requestId);
  return violations;
}

export function validateCancelLines(request: {
  orderId: string;
  requestId: string;
  reason: string;
  lines: OrderAsked['lines'];
}): Violation[] {
  const violations = validateCancel(request);
  checkLines(violations, request.lines);
  return violations;
}

export function validateMove(request: {
  orderId: string;
  requestId: string;
  toSkuId: string;
  fromSkuId: string;
}): Violation[] {
  const violations = validateChange(request);
  if (request.fromSkuId !== '') checkId(violations, 'from_sku_id', request.fromSkuId);
  checkId(violations, 'to_sku_id', request.toSkuId);
  return violations;
}

export interface Payment {
  orderId: string;
  provider: string;
  providerPaymentId: string;
  amountMinor: number;
  currency: string;
  attempt?: number | undefined;
  requestId: string;
}

export function validatePayment(payment: Payment): Violation[] {
  const violations = validateOrderId(payment);
  checkId(violations, 'provider', payment.provider);
  checkLongId(violations, 'provider_payment_id', payment.providerPaymentId);
  if (payment.amountMinor < 0) violations.push({ field: 'amount_minor', description: 'must not be negative' });
  checkCurrency(violations, payment.currency);
  checkAttempt(violations, payment.attempt ?? 0);
  checkLongId(violations, 'request_id', payment.requestId);
  return violations;
}

/** A failure names the payment, its session or the attempt; what it does not know is empty. */
export function validateFailure(failure: {
  orderId: string;
  provider: string;
  providerPaymentId: string;
  sessionId: string;
  attempt: number;
  why: string;
  requestId: string;
}): Violation[] {
  const { providerPaymentId, sessionId, attempt } = failure;
  const violations = validateOrderId(failure);
  checkId(violations, 'provider', failure.provider);
  if (providerPaymentId !== '') checkLongId(violations, 'provider_payment_id', providerPaymentId);
  if (sessionId !== '') checkLongId(violations, 'session_id', sessionId);
  checkAttempt(violations, attempt);
  if (providerPaymentId === '' && sessionId === '' && attempt === 0) {
    const description = 'must be given, or session_id or attempt in its place';
    violations.push({ field: 'provider_payment_id', description });
  }
  checkReason(violations, failure.why, 'why');
  checkLongId(violations, 'request_id', failure.requestId);
  return violations;
}

export function validateRefund(refund: {
  orderId: string;
  provider: string;
  providerPaymentId: string;
  refundId: string;
  amountMinor: number;
  currency: string;
  requestId: string;
}): Violation[] {
  const violations = validateOrderId(refund);
  checkId(violations, 'provider', refund.provider);
  checkLongId(violations, 'provider_payment_id', refund.providerPaymentId);
  checkLongId(violations, 'refund_id', refund.refundId);
  if (refund.amountMinor <= 0) violations.push({ field: 'amount_minor', description: 'must be more than 0' });
  checkCurrency(violations, refund.currency);
  checkLongId(violations, 'request_id', refund.requestId);
  return violations;
}

function checkAttempt(violations: Violation[], attempt: number): void {
  if (attempt < 0) violations.push({ field: 'attempt', description: 'must not be negative' });
}

export function validateListOrders(request: Page & { userId: string; skuId: string }): Violation[] {
  const violations: Violation[] = [];
  if ((request.userId === '') === (request.skuId === '')) {
    violations.push({ field: 'user_id', description: 'must be given, or sku_id in its place, not both' });
  } else {
    checkId(violations, request.userId === '' ? 'sku_id' : 'user_id', request.userId || request.skuId);
  }
  checkPage(violations, request);
  return violations;
}

export function validateGetAvailability(request: { skuIds: string[] }): Violation[] {
  const violations: Violation[] = [];
  const count = request.skuIds.length;
  if (count < 1 || count > skuIdsMax) {
    violations.push({ field: 'sku_ids', description: `must be 1 to ${skuIdsMax} ids, not ${count}` });
    return violations;
  }
  for (const [index, skuId] of request.skuIds.entries()) checkId(violations, `sku_ids[${index}]`, skuId);
  return violations;
}

export function validateGetSku(request: { skuId: string }): Violation[] {
  const violations: Violation[] = [];
  checkId(violations, 'sku_id', request.skuId);
  return violations;
}

export function validateListSkus(
  request: Page & { storeId: string; startsAfter?: Date | undefined; startsBefore?: Date | undefined },
): Violation[] {
  const violations = validateListLimits(request);
  checkInstant(violations, 'starts_after', request.startsAfter);
  checkInstant(violations, 'starts_before', request.startsBefore);
  return violations;
}

export function validateListLimits(request: Page & { storeId: string }): Violation[] {
  const violations: Violation[] = [];
  checkId(violations, 'store_id', request.storeId);
  checkPage(violations, request);
  return violations;
}

export function validateSku(request: { storeId: string; skuId: string }): Violation[] {
  const violations: Violation[] = [];
  checkId(violations, 'store_id', request.storeId);
  checkId(violations, 'sku_id', request.skuId);
  return violations;
}
