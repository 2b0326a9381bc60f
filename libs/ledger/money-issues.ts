import { retryConflicts } from '#libs/postgres/errors.js';
import { Fault } from '#libs/refusal/fault.js';
import { functionCall, type LedgerPool } from './ledger-pool.js';
import { cutPage, type PageQuery, readPage } from './page.js';
import { type Payment, type PaymentRow, toPayment } from './payment-rows.js';
import { paymentNotFound } from './payments.js';
import { isInstant, type LedgerOrder, type OrderRow, toDate, toOrder } from './rows.js';

const ATTEMPTS = 5;
const listIssues = functionCall('money_issues_list', 5);
const settle = functionCall('money_settle', 6);

/** What an operator decides about a payment: see `moneySettle`. */
export type SettleVerb = 'REFUND' | 'KEEP' | 'WRITE_OFF';

/** The calls about money that a person decides about. Errors beside those named: BUSY and UNAVAILABLE as every call. */
export function moneyIssueCalls(pool: LedgerPool) {
  return {
    /**
     * Payments that a person may want to look at, the oldest first: with an issue, and not settled. Without a store: all,
     * those of unknown orders too. Fault INVALID_REQUEST for a page that cannot be.
     */
    async moneyIssuesList(
      storeId: string | undefined,
      query: PageQuery,
    ): Promise<{ payments: Payment[]; nextPageToken: string }> {
      const name = `money_issues ${storeId ?? ''}`;
      const isKey = (part: string): boolean => part !== '' && part.length <= 255;
      const { size, after = [null, null, null] } = readPage(name, query, [isInstant, isKey, isKey]);
      type Row = { payment_row: PaymentRow };
      const found = await pool.query<Row>(listIssues, [storeId ?? null, ...after, size + 1]);
      const keyOf = ({ payment_row: row }: Row): string[] => [
        toDate(row.at).toISOString(),
        row.provider,
        row.provider_payment_id,
      ];
      const { rows, nextPageToken } = cutPage(name, found, { size, keyOf });
      return { payments: rows.map((row) => toPayment(row.payment_row)), nextPageToken };
    },

    /**
     * What an operator decides about a payment. REFUND: money that pays no order goes back. KEEP: it pays its order after all,
     * whatever its amount, if the order can be paid now; a refund that was asked for is withdrawn, so the operator must
     * know that the provider has not made it. WRITE_OFF: nothing further happens. The same request again changes nothing.
     *
     * Errors: Fault PAYMENT_NOT_FOUND; ORDER_STATE when payment or order do not allow it, nothing has changed then;
     * REQUEST_ID_REUSED.
     */
    async moneySettle(decision: {
      provider: string;
      providerPaymentId: string;
      verb: SettleVerb;
      by: string;
      reason: string;
      requestId: string;
    }): Promise<{ payment: Payment; order?: LedgerOrder }> {
      const { provider, providerPaymentId, verb, by, reason, requestId } = decision;
      type Outcome = 'SETTLED' | 'KNOWN' | 'REFUSED' | 'REUSED' | 'NOT_FOUND';
      type Row = { outcome: Outcome; payment_row: PaymentRow | null; order_row: OrderRow | null };
      const values = [provider, providerPaymentId, verb, by, reason, requestId];
      const [row] = await retryConflicts(() => pool.query<Row>(settle, values), ATTEMPTS);
      if (row?.outcome === 'REUSED') {
        throw new Fault('REQUEST_ID_REUSED', 'the request id was used for another decision');
      }
      if (!row?.payment_row) throw paymentNotFound(provider, providerPaymentId);
      const payment = toPayment(row.payment_row);
      if (row.outcome === 'REFUSED') {
        const { orderId, state } = payment;
        const message = `${verb} is not possible of a payment that is ${state} and an order that is ${row.order_row?.state ?? 'unknown'}`;
        throw new Fault('ORDER_STATE', message, { metadata: { order_id: orderId, state: row.order_row?.state ?? '' } });
      }
      return { payment, ...(row.order_row && { order: toOrder(row.order_row) }) };
    },
  };
}
