import type { MoneyLine, Payment } from '../../domain/payment.js';
import { instantJson } from '../time-text.js';

/** A payment as `money --json` prints it; names as in the contracts. */
export function paymentJson(payment: Payment): object {
  return {
    order_id: payment.orderId,
    store_id: payment.storeId,
    provider: payment.provider,
    provider_payment_id: payment.providerPaymentId,
    amount_minor: payment.amountMinor,
    currency: payment.currency,
    state: payment.state,
    issue: payment.issue,
    captured_at: instantJson(payment.capturedAt),
    recorded_at: instantJson(payment.recordedAt),
    refund_minor: payment.refundMinor,
    refund_id: payment.refundId,
    refunded_at: instantJson(payment.refundedAt),
    settled_by: payment.settledBy,
    settled_reason: payment.settledReason,
  };
}

export function moneyLineJson(line: MoneyLine): object {
  return {
    provider: line.provider,
    currency: line.currency,
    payments: line.payments,
    captured_minor: line.capturedMinor,
    refund_due_minor: line.refundDueMinor,
    refunded_minor: line.refundedMinor,
    states: line.states,
  };
}
