import { retryConflicts } from '#libs/postgres/errors.js';
import { functionCall, type LedgerPool } from './ledger-pool.js';
import { type Payment, type PaymentRow, type PaymentState, toPayment } from './payment-rows.js';
import { paymentNotFound } from './payments.js';

const ATTEMPTS = 5;
const applyParked = functionCall('payments_parked_apply', 1);
const refund = functionCall('refund_record', 4);
const report = functionCall('money_report', 3);

/** What the money of one provider did on a day. Amounts in minor units. */
export interface MoneyLine {
  provider: string;
  currency: string;
  /** Recorded on the day. */
  payments: number;
  capturedMinor: number;
  /** What of all money fell due for refund on the day, and what was refunded on it. */
  refundDueMinor: number;
  refundedMinor: number;
  /** Sums of the day's payments by the state that they are in now; they add up to capturedMinor. */
  states: Partial<Record<PaymentState, number>>;
}

interface RefundedRow {
  outcome: 'RECORDED' | 'UNREQUESTED' | 'KNOWN';
  payment_row: PaymentRow | null;
}

/** The calls about where money went. Errors beside those named: BUSY and UNAVAILABLE as every call. */
export function moneyCalls(pool: LedgerPool) {
  return {
    /**
     * Goes on with money whose order was not known when it came, at most `batchSize` payments (1..1000): `confirmed` pay
     * their order now; `refunded` go back, also those whose order was not born in 15 minutes. Safe from any number of
     * callers at once.
     */
    async paymentsParkedApply(batchSize: number): Promise<{ confirmed: number; refunded: number; hasMore: boolean }> {
      type Row = { confirmed: number; refunded: number; has_more: boolean };
      const [row] = await retryConflicts(() => pool.query<Row>(applyParked, [batchSize]), ATTEMPTS);
      if (!row) throw new Error('payments_parked_apply gave no row');
      return { confirmed: row.confirmed, refunded: row.refunded, hasMore: row.has_more };
    },

    /**
     * Records money that a provider gave back. UNREQUESTED: nobody had asked for it; the payment is then an issue for a person
     * and its order stays as it is.
     *
     * Errors: Fault PAYMENT_NOT_FOUND: its own notice is not here yet, tell again.
     */
    async refundRecord(refunded: {
      provider: string;
      providerPaymentId: string;
      refundId: string;
      amountMinor: number;
    }): Promise<{ outcome: RefundedRow['outcome']; payment: Payment }> {
      const { provider, providerPaymentId, refundId, amountMinor } = refunded;
      const values = [provider, providerPaymentId, refundId, amountMinor];
      const [row] = await retryConflicts(() => pool.query<RefundedRow>(refund, values), ATTEMPTS);
      if (!row?.payment_row) throw paymentNotFound(provider, providerPaymentId);
      return { outcome: row.outcome, payment: toPayment(row.payment_row) };
    },

    /**
     * What a store's money did on a day (YYYY-MM-DD) in a time zone (IANA name), by provider and currency. Of a day that is over it
     * says the same whenever it is asked for, but for `states`. The empty store: money of unknown orders.
     */
    async moneyReport(storeId: string, day: string, timeZone = 'UTC'): Promise<MoneyLine[]> {
      interface Row {
        provider: string;
        currency: string;
        payments: number;
        captured_minor: number;
        refund_due_minor: number;
        refunded_minor: number;
        states: MoneyLine['states'];
      }
      const rows = await pool.query<Row>(report, [storeId, day, timeZone]);
      return rows.map(({ provider, currency, payments, states, ...sums }) => ({
        provider,
        currency,
        payments,
        capturedMinor: sums.captured_minor,
        refundDueMinor: sums.refund_due_minor,
        refundedMinor: sums.refunded_minor,
        states,
      }));
    },
  };
}
