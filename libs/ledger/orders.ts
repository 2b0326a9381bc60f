import { Fault } from '#libs/refusal/fault.js';
import { functionCall, type LedgerPool } from './ledger-pool.js';
import { isOrderId } from './lines.js';
import { cutPage, type PageQuery, readPage } from './page.js';
import { isInstant, type LedgerOrder, type OrderRow, toDate, toOrder } from './rows.js';

const read = functionCall('orders_read', 1);
const listByUser = functionCall('orders_list_by_user', 4);
const listBySku = functionCall('orders_list_by_sku', 4);

/** Part of a list of orders. */
export interface OrdersPage {
  orders: LedgerOrder[];
  /** Empty at the end of the list. */
  nextPageToken: string;
}

/** The calls that read orders. */
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
  };
}

/** Said of an order that is not there, and of another user's alike. */
export function notFound(orderId: string): Fault {
  return new Fault('ORDER_NOT_FOUND', 'there is no such order', { metadata: { order_id: orderId } });
}

/** Said when an order's state does not allow what was asked; `cannot` says what, such as 'cannot be paid'. */
export function orderState(order: LedgerOrder, cannot: string): Fault {
  return new Fault('ORDER_STATE', `an order that is ${order.state} ${cannot}`, {
    metadata: { order_id: order.orderId, state: order.state },
  });
}
