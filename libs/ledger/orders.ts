import { functionCall, type LedgerPool } from './ledger-pool.js';
import { type LedgerOrder, type OrderRow, toOrder } from './rows.js';

const read = functionCall('orders_read', 1);

/** The calls about orders that are decided. */
export function orderCalls(pool: LedgerPool) {
  return {
    /** Orders by their ids, in the order of the ids; unknown ones are left out. */
    async ordersRead(orderIds: readonly string[]): Promise<LedgerOrder[]> {
      if (orderIds.length === 0) return [];
      const rows = await pool.query<OrderRow>(read, [orderIds]);
      return rows.map(toOrder);
    },
  };
}
