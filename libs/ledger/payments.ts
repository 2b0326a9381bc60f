import { retryConflicts } from '#libs/postgres/errors.js';
import { Fault } from '#libs/refusal/fault.js';
import { functionCall, type LedgerPool } from './ledger-pool.js';
import { type LedgerOrder, type OrderRow, toOrder } from './rows.js';

const ATTEMPTS = 5;
const confirm = functionCall('payment_confirm', 5);

/** Money that a provider captured for an order. */
export interface CapturedPayment {
  orderId: string;
  provider: string;
  /** With the provider the key that makes it count once. */
  providerPaymentId: string;
  amountMinor: number;
  currency: string;
}

/** CAPTURED: it pays the order. REFUND_DUE: it goes back. */
export type PaymentState = 'CAPTURED' | 'REFUND_DUE';

interface ConfirmedRow {
  outcome: 'CONFIRMED' | 'REFUND_DUE' | 'KNOWN' | 'REUSED' | 'NOT_FOUND';
  payment_state: PaymentState | null;
  order_row: OrderRow | null;
}

/** The calls about money. */
export function paymentCalls(pool: LedgerPool) {
  return {
    /**
     * Records a captured payment: a HELD order before its expiry becomes CONFIRMED when amount and currency are its
     * own; any other payment is due for refund and leaves the order as it is. The same payment again changes nothing.
     *
     * Errors: Fault ORDER_NOT_FOUND; INVALID_REQUEST when the payment was recorded for another order; BUSY and
     * UNAVAILABLE as every call.
     */
    async paymentConfirm(payment: CapturedPayment): Promise<{ order: LedgerOrder; paymentState: PaymentState }> {
      const { orderId, provider, providerPaymentId, amountMinor, currency } = payment;
      const [row] = await retryConflicts(
        () => pool.query<ConfirmedRow>(confirm, [orderId, provider, providerPaymentId, amountMinor, currency]),
        ATTEMPTS,
      );
      if (row?.outcome === 'REUSED') {
        throw new Fault('INVALID_REQUEST', 'the payment was recorded for another order', {
          violations: [{ field: 'provider_payment_id', description: 'was recorded for another order' }],
        });
      }
      if (!row?.order_row || !row.payment_state) {
        throw new Fault('ORDER_NOT_FOUND', 'there is no such order', { metadata: { order_id: orderId } });
      }
      return { order: toOrder(row.order_row), paymentState: row.payment_state };
    },
  };
}
