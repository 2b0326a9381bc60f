import { retryConflicts } from '#libs/postgres/errors.js';
import { functionCall, type LedgerPool } from './ledger-pool.js';
import { notFound, orderState } from './orders.js';
import { type AttemptRow, type PaymentAttempt, toAttempt } from './payment-rows.js';
import { type LedgerOrder, type OrderRow, toOrder } from './rows.js';

const ATTEMPTS = 5;
const start = functionCall('payment_start', 4);
const setSession = functionCall('payment_session_set', 5);
const sessionsToEnd = functionCall('payment_sessions_to_end', 1);
const sessionEnded = functionCall('payment_session_ended', 2);

/** What a provider answered about an attempt. */
export interface ProviderSession {
  sessionId: string;
  parameters: Record<string, string>;
  /** Absent: the parameters are enough. */
  url?: string;
}

/** The calls about tries to pay. Errors beside those named: BUSY and UNAVAILABLE as every call. */
export function attemptCalls(pool: LedgerPool) {
  return {
    /**
     * Begins an attempt to pay a HELD order, or gives the open one (`isNew` false). The provider is called afterwards, under
     * the key of order and attempt, and its answer is noted by `paymentSessionSet`.
     *
     * Errors: Fault ORDER_NOT_FOUND, also of another user; ORDER_STATE when it is not HELD, or past its expiry.
     */
    async paymentStart(wanted: {
      orderId: string;
      userId?: string;
      provider: string;
      requestId: string;
    }): Promise<{ attempt: PaymentAttempt; order: LedgerOrder; isNew: boolean }> {
      const { orderId, userId, provider, requestId } = wanted;
      type Row = {
        outcome: 'STARTED' | 'OPEN' | 'REFUSED';
        attempt_row: AttemptRow | null;
        order_row: OrderRow | null;
      };
      const [row] = await retryConflicts(
        () => pool.query<Row>(start, [orderId, userId ?? null, provider, requestId]),
        ATTEMPTS,
      );
      if (!row?.order_row) throw notFound(orderId);
      const order = toOrder(row.order_row);
      if (!row.attempt_row) throw orderState(order, 'cannot be paid');
      return { attempt: toAttempt(row.attempt_row), order, isNew: row.outcome === 'STARTED' };
    },

    /**
     * Notes the provider's answer to an attempt, once, and gives the attempt as it is now: whoever comes second is given the
     * session of the first, and has one to end. It may have ended meanwhile. Fault ORDER_NOT_FOUND without such an attempt.
     */
    async paymentSessionSet(orderId: string, attempt: number, session: ProviderSession): Promise<PaymentAttempt> {
      const { sessionId, parameters, url } = session;
      const values = [orderId, attempt, sessionId, JSON.stringify(parameters), url ?? null];
      const [row] = await pool.query<AttemptRow>(setSession, values);
      if (!row) throw notFound(orderId);
      return toAttempt(row);
    },

    /** Attempts that ended without money, whose provider was not told yet. */
    async paymentSessionsToEnd(atMost: number): Promise<PaymentAttempt[]> {
      return (await pool.query<AttemptRow>(sessionsToEnd, [atMost])).map(toAttempt);
    },

    /** Notes that the provider of such an attempt was told. Again the same is fine. */
    async paymentSessionEnded(orderId: string, attempt: number): Promise<void> {
      await pool.query(sessionEnded, [orderId, attempt]);
    },
  };
}
