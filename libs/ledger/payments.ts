import { retryConflicts } from '#libs/postgres/errors.js';
import { Fault } from '#libs/refusal/fault.js';
import { functionCall, type LedgerPool } from './ledger-pool.js';
import { notFound } from './orders.js';
import { type Payment, type PaymentRow, toPayment } from './payment-rows.js';
import { type LedgerOrder, type OrderRow, toOrder } from './rows.js';

const ATTEMPTS = 5;
const confirm = functionCall('payment_confirm', 7);
const fail = functionCall('payment_fail', 6);

/** Money that a provider captured for an order. */
export interface CapturedPayment {
  orderId: string;
  provider: string;
  /** With the provider the key that makes it count once. */
  providerPaymentId: string;
  amountMinor: number;
  currency: string;
  /** The attempt that it came by, when that is known. */
  attempt?: number;
  /** By the provider's clock. */
  capturedAt?: Date;
}

/** That a provider took no money. */
export interface FailedPayment {
  orderId: string;
  provider: string;
  /** Absent: it had none yet. */
  providerPaymentId?: string;
  /** Which attempt it was: by its number, or by the provider's session. */
  attempt?: number;
  sessionId?: string;
  /** In the provider's words. */
  why: string;
}

/** What a captured payment did. PARKED: its order is not known yet, `order` is absent. KNOWN: it was recorded earlier. */
export interface Confirmation {
  outcome: 'CONFIRMED' | 'REFUND_DUE' | 'PARKED' | 'KNOWN';
  payment: Payment;
  order?: LedgerOrder;
}

/** The calls by which providers tell of payments. Errors beside those named: BUSY and UNAVAILABLE as every call. */
export function paymentCalls(pool: LedgerPool) {
  return {
    /**
     * Records a captured payment. It confirms a HELD order when amount and currency are its own and it came in time: before
     * the expiry, or captured before it while nobody swept the hold. An order that ended is confirmed anew when its
     * units are free. Any other money goes back; `payment.issue` says why. The same payment again changes nothing.
     *
     * Errors: Fault INVALID_REQUEST when the payment was recorded for another order.
     */
    async paymentConfirm(captured: CapturedPayment): Promise<Confirmation> {
      const { orderId, provider, providerPaymentId, amountMinor, currency, attempt, capturedAt } = captured;
      type Row = { outcome: Confirmation['outcome'] | 'REUSED'; payment_row: PaymentRow; order_row: OrderRow | null };
      const key = [orderId, provider, providerPaymentId];
      const values = [...key, amountMinor, currency, attempt ?? null, capturedAt ?? null];
      const [row] = await retryConflicts(() => pool.query<Row>(confirm, values), ATTEMPTS);
      if (!row) throw new Error('payment_confirm gave no row');
      if (row.outcome === 'REUSED') {
        throw new Fault('INVALID_REQUEST', 'the payment was recorded for another order', {
          violations: [{ field: 'provider_payment_id', description: 'was recorded for another order' }],
        });
      }
      const order = row.order_row && toOrder(row.order_row);
      return { outcome: row.outcome, payment: toPayment(row.payment_row), ...(order && { order }) };
    },

    /**
     * Records that a provider took no money. The hold stays and may be paid by another attempt; money that came is not touched,
     * whichever notice comes first. Fault ORDER_NOT_FOUND.
     */
    async paymentFail(failed: FailedPayment): Promise<{ order: LedgerOrder; changed: boolean }> {
      const { orderId, provider, providerPaymentId, sessionId, attempt, why } = failed;
      const which = [providerPaymentId ?? null, sessionId ?? null, attempt ?? null];
      type Row = { outcome: 'FAILED' | 'UNCHANGED'; order_row: OrderRow | null };
      const [row] = await retryConflicts(() => pool.query<Row>(fail, [orderId, provider, ...which, why]), ATTEMPTS);
      if (!row?.order_row) throw notFound(orderId);
      return { order: toOrder(row.order_row), changed: row.outcome === 'FAILED' };
    },
  };
}

/** Said of a payment that was never recorded. */
export function paymentNotFound(provider: string, providerPaymentId: string): Fault {
  return new Fault('PAYMENT_NOT_FOUND', 'there is no such payment', {
    metadata: { provider, provider_payment_id: providerPaymentId },
  });
}
