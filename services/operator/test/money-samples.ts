import { PaymentState } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import { type Payment, PaymentIssue } from '#libs/contracts/gen/holdfast/order/v1/payment.js';
import { orderId } from './repair-samples.js';
import { longAgo } from './samples.js';

/** One cent too little. */
export const payment: Payment = {
  orderId,
  storeId: 'kiln',
  provider: 'sandbox',
  providerPaymentId: 'pay_1',
  number: 1,
  attempt: 1,
  amountMinor: 2_499,
  currency: 'EUR',
  state: PaymentState.PAYMENT_STATE_REFUND_DUE,
  issue: PaymentIssue.PAYMENT_ISSUE_WRONG_AMOUNT,
  capturedAt: longAgo,
  recordedAt: longAgo,
  refundId: '',
  refundedAt: undefined,
  refundMinor: 2_499,
  settledBy: '',
  settledReason: '',
};

export const holdStats = {
  ...{ holds: 8, paid: 6, paidIn5: 4, paidIn10: 5, paidIn15: 6, paidIn30: 6 },
  ...{ expired: 1, cancelled: 0, open: 1, vainUnitMinutes: 15 },
};

/** A hold that nobody paid. */
export const movement = {
  ...{ at: longAgo, skuId: 'kiln-mug', orderId, orderVersion: 2, reason: 'EXPIRE', changedBy: 'expiry', note: '' },
  ...{ free: 0, reserved: 2, held: -2, sold: 0, userId: 'u-4711', wentTo: [] },
};
