import type { Violation } from '#libs/refusal/fault.js';
import { checkCurrency, checkId, checkLongId, checkPage, checkReason } from './fields.js';

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

export interface Payment {
  orderId: string;
  provider: string;
  providerPaymentId: string;
  amountMinor: number;
  currency: string;
  requestId: string;
}

export function validatePayment(payment: Payment): Violation[] {
  const violations = validateOrderId(payment);
  checkId(violations, 'provider', payment.provider);
  checkLongId(violations, 'provider_payment_id', payment.providerPaymentId);
  if (payment.amountMinor < 0) violations.push({ field: 'amount_minor', description: 'must not be negative' });
  checkCurrency(violations, payment.currency);
  checkLongId(violations, 'request_id', payment.requestId);
  return violations;
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

export function validateListSkus(request: Page & { storeId: string }): Violation[] {
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
