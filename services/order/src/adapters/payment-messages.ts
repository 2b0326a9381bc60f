import { PaymentState } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import {
  PaymentIssue,
  type Payment as PaymentMessage,
  type PaymentSession,
  PaymentSessionState,
} from '#libs/contracts/gen/holdfast/order/v1/payment.js';
import type { Payment } from '#libs/ledger/payment-rows.js';
import type { StartedPayment } from '../app/start-payment.js';

/** The ledger's payment as the contracts carry it. */
export function toPaymentMessage(payment: Payment): PaymentMessage {
  const { state, issue, attempt = 0, refundId = '', settledBy = '', settledReason = '', ...same } = payment;
  return {
    ...same,
    ...{ attempt, refundId, settledBy, settledReason },
    state: PaymentState[`PAYMENT_STATE_${state}`],
    issue: issue ? PaymentIssue[`PAYMENT_ISSUE_${issue}`] : PaymentIssue.PAYMENT_ISSUE_UNSPECIFIED,
    capturedAt: payment.capturedAt,
    refundedAt: payment.refundedAt,
  };
}

/** The way to pay, and what it pays. */
export function toSessionMessage({ attempt, order }: StartedPayment): PaymentSession {
  const { orderId, provider, sessionId = '', parameters = {}, url = '', endsAt } = attempt;
  return {
    ...{ orderId, provider, sessionId, parameters, url, endsAt },
    attempt: attempt.attempt,
    state: PaymentSessionState[`PAYMENT_SESSION_STATE_${attempt.state}`],
    amountMinor: order.amountMinor,
    currency: order.currency,
  };
}
