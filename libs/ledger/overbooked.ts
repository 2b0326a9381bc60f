import { functionCall, type LedgerPool } from './ledger-pool.js';
import { isOrderId } from './lines.js';
import type { OrdersPage } from './orders.js';
import { cutPage, isRowNumber, type PageQuery, readPage } from './page.js';
import { isInstant, type OrderRow, toDate, toOrder } from './rows.js';

const overbooked = functionCall('orders_overbooked', 5);

/** The call that says which orders are too many. */
export function overbookedCalls(pool: LedgerPool) {
  return {
    /**
     * The HELD and CONFIRMED orders that make a sku overbooked, newest first: as many as it takes for their units to be
     * those that it is overbooked by. Nothing when it is not. Fault INVALID_REQUEST for a page that cannot be.
     */
    async ordersOverbooked(skuId: string, query: PageQuery): Promise<OrdersPage> {
      const name = `orders_overbooked ${skuId}`;
      const { size, after } = readPage(name, query, [isInstant, isOrderId, isRowNumber]);
      const [at, id, passed] = after ?? [];
      const values = [skuId, at ?? null, id ?? null, Number(passed ?? 0), size + 1];
      const found = await pool.query<{ order_row: OrderRow; units: number }>(overbooked, values);
      const keyOf = ({ order_row: row, units }: (typeof found)[number]): string[] => [
        toDate(row.created_at).toISOString(),
        row.order_id,
        String(units),
      ];
      const { rows, nextPageToken } = cutPage(name, found, { size, keyOf });
      return { orders: rows.map((row) => toOrder(row.order_row)), nextPageToken };
    },
  };
}
