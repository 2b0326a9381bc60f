import { retryConflicts } from '#libs/postgres/errors.js';
import { Fault } from '#libs/refusal/fault.js';
import { functionCall, type LedgerPool } from './ledger-pool.js';
import { notFound, orderState } from './orders.js';
import { type LedgerOrder, type OrderRow, toOrder } from './rows.js';

const ATTEMPTS = 5;
const cancel = functionCall('order_cancel', 5);
const expire = functionCall('orders_expire', 1);

/** What a run over the holds past their expiry did. */
export interface ExpiryReport {
  expired: number;
  /** Skus whose units came back. */
  freedSkus: { storeId: string; skuId: string }[];
  /** Earliest expiry of the holds that remain; absent when there are none. */
  nextDueAt?: Date;
}

/** Who asks for a change of an order. */
export interface Caller {
  /** Given: only this user's own order. */
  userId?: string;
  /** Whether the terms of the skus hold. Absent: USER when a user is given, else OPERATOR. */
  role?: 'USER' | 'OPERATOR';
  /** Who is noted as the one who did it; absent: the user. */
  by?: string;
}

/** The calls by which decided orders end. */
export function orderChangeCalls(pool: LedgerPool) {
  return {
    /**
     * Ends a HELD or CONFIRMED order: its units come back once, and what was paid is due for refund, as far as the terms
     * of its skus say so to a user. An order that has ended already is given as it is (`changed` false).
     *
     * Errors: Fault ORDER_NOT_FOUND; ORDER_STATE when it is FULFILLED; CANCEL_TOO_LATE; BUSY and UNAVAILABLE as every call.
     */
    async orderCancel(
      wanted: Caller & { orderId: string; reason?: string },
    ): Promise<{ order: LedgerOrder; changed: boolean }> {
      const { orderId, reason } = wanted;
      const { userId, role, by } = callerValues(wanted);
      type Outcome = 'CANCELLED' | 'UNCHANGED' | 'REFUSED' | 'TOO_LATE' | 'NOT_FOUND';
      type Row = { outcome: Outcome; order_row: OrderRow | null };
      const values = [orderId, userId, reason ?? null, role, by];
      const [row] = await retryConflicts(() => pool.query<Row>(cancel, values), ATTEMPTS);
      if (!row?.order_row) throw notFound(orderId);
      const order = toOrder(row.order_row);
      if (row.outcome === 'REFUSED') throw orderState(order, 'cannot be cancelled');
      if (row.outcome === 'TOO_LATE') throw tooLate(orderId);
      return { order, changed: row.outcome === 'CANCELLED' };
    },

    /**
     * Closes holds that are past their expiry, at most `batchSize` (1..1000) in one transaction. Safe from any number
     * of callers at once: each takes others.
     */
    async ordersExpire(batchSize: number): Promise<ExpiryReport> {
      interface ExpiredRow {
        expired: number;
        freed: { store_id: string; sku_id: string }[];
        next_due_at: Date | null;
      }
      const [row] = await retryConflicts(() => pool.query<ExpiredRow>(expire, [batchSize]), ATTEMPTS);
      if (!row) throw new Error('orders_expire gave no row');
      return {
        expired: row.expired,
        freedSkus: row.freed.map((freed) => ({ storeId: freed.store_id, skuId: freed.sku_id })),
        ...(row.next_due_at && { nextDueAt: row.next_due_at }),
      };
    },
  };
}

/** A caller as the functions take it. */
export function callerValues({ userId, role, by }: Caller): { userId: string | null; role: string; by: string } {
  const whose = role ?? (userId === undefined ? 'OPERATOR' : 'USER');
  return { userId: userId ?? null, role: whose, by: by ?? userId ?? 'operator' };
}

/** Said to a user whom the terms of a sku do not let give a confirmed unit back any more. */
export function tooLate(orderId: string): Fault {
  return new Fault('CANCEL_TOO_LATE', 'it is too late to give this back', { metadata: { order_id: orderId } });
}

/** Said of a request id that was used for another change of the order. */
export function requestReused(): Fault {
  return new Fault('REQUEST_ID_REUSED', 'the request id was used for another change of the order');
}
