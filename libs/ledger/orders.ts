import { retryConflicts } from '#libs/postgres/errors.js';
import { Fault } from '#libs/refusal/fault.js';
import { functionCall, type LedgerPool } from './ledger-pool.js';
import { isOrderId } from './lines.js';
import { cutPage, type PageQuery, readPage } from './page.js';
import { type LedgerOrder, type OrderRow, toDate, toOrder } from './rows.js';

const ATTEMPTS = 5;
const read = functionCall('orders_read', 1);
const listByUser = functionCall('orders_list_by_user', 4);
const listBySku = functionCall('orders_list_by_sku', 4);
const cancel = functionCall('order_cancel', 3);
const expire = functionCall('orders_expire', 1);

/** Part of a list of orders. */
export interface OrdersPage {
  orders: LedgerOrder[];
  /** Empty at the end of the list. */
  nextPageToken: string;
}

/** What a run over the holds past their expiry did. */
export interface ExpiryReport {
  expired: number;
  /** Skus whose units came back. */
  freedSkus: { storeId: string; skuId: string }[];
  /** Earliest expiry of the holds that remain; absent when there are none. */
  nextDueAt?: Date;
}

/** The calls about orders that are decided. */
export function orderCalls(pool: LedgerPool) {
  async function ordersRead(orderIds: readonly string[]): Promise<LedgerOrder[]> {
    if (orderIds.length === 0) return [];
    const rows = await pool.query<OrderRow>(read, [orderIds]);
    return rows.map(toOrder);
  }

  async function list(statement: typeof listByUser, id: string, query: PageQuery): Promise<OrdersPage> {
    const name = `${statement.name} ${id}`;
    const { size, after } = readPage(name, query, [isInstant, isOrderId]);
    const before = [after?.[0] ?? null, after?.[1] ?? null];
    const found = await pool.query<OrderRow>(statement, [id, ...before, size + 1]);
    const keyOf = (row: OrderRow): string[] => [toDate(row.created_at).toISOString(), row.order_id];
    const { rows, nextPageToken } = cutPage(name, found, { size, keyOf });
    return { orders: rows.map(toOrder), nextPageToken };
  }

  return {
    /** Orders by their ids, in the order of the ids; unknown ones are left out. */
    ordersRead,

    /** One order. Fault ORDER_NOT_FOUND when there is none, or when a user is given and it is another's. */
    async orderGet(orderId: string, userId?: string): Promise<LedgerOrder> {
      const [order] = await ordersRead([orderId]);
      if (!order || (userId !== undefined && order.userId !== userId)) throw notFound(orderId);
      return order;
    },

    /** A user's orders, newest first. Fault INVALID_REQUEST for a page that cannot be. */
    ordersListByUser: (userId: string, page: PageQuery): Promise<OrdersPage> => list(listByUser, userId, page),

    /** Orders with a line of a sku, newest first. Fault INVALID_REQUEST for a page that cannot be. */
    ordersListBySku: (skuId: string, page: PageQuery): Promise<OrdersPage> => list(listBySku, skuId, page),

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
      if (row.outcome === 'REFUSED') {
        throw new Fault('ORDER_STATE', `an order that is ${order.state} cannot be cancelled`, {
          metadata: { order_id: orderId, state: order.state },
        });
      }
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

function isInstant(text: string): boolean {
  const instant = new Date(text);
  return !Number.isNaN(instant.getTime()) && instant.toISOString() === text;
}

function notFound(orderId: string): Fault {
  return new Fault('ORDER_NOT_FOUND', 'there is no such order', { metadata: { order_id: orderId } });
}
