import { retryConflicts } from '#libs/postgres/errors.js';
import { functionCall, type LedgerPool } from './ledger-pool.js';
import { notFound, orderState } from './orders.js';
import { type LedgerOrder, type OrderRow, toOrder } from './rows.js';

const ATTEMPTS = 5;
const cancel = functionCall('order_cancel', 3);
const expire = functionCall('orders_expire', 1);

/** What a run over the holds past their expiry did. */
export interface ExpiryReport {
  expired: number;
  /** Skus whose units came back. */
  freedSkus: { storeId: string; skuId: string }[];
  /** Earliest expiry of the holds that remain; absent when there are none. */
  nextDueAt?: Date;
}

/** The calls by which decided orders end. */
export function orderChangeCalls(pool: LedgerPool) {
  return {
    /**
     * Ends a HELD or CONFIRMED order: its units come back once, and what was paid is due for refund. An order that has
     * ended already is given as it is (`changed` false). Only the user's own order when a user is given.
     *
     * Errors: Fault ORDER_NOT_FOUND; ORDER_STATE when it is FULFILLED; BUSY and UNAVAILABLE as every call.
     */
    async orderCancel({
      orderId,
      userId,
      reason,
    }: {
      orderId: string;
      userId?: string;
      reason?: string;
    }): Promise<{ order: LedgerOrder; changed: boolean }> {
      type Outcome = 'CANCELLED' | 'UNCHANGED' | 'REFUSED' | 'NOT_FOUND';
      const [row] = await retryConflicts(
        () =>
          pool.query<{ outcome: Outcome; order_row: OrderRow | null }>(cancel, [
            orderId,
            userId ?? null,
            reason ?? null,
          ]),
        ATTEMPTS,
      );
      if (!row?.order_row) throw notFound(orderId);
      const order = toOrder(row.order_row);
      if (row.outcome === 'REFUSED') throw orderState(order, 'cannot be cancelled');
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
