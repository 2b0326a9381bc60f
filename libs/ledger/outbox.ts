import type { OrderLine } from '#libs/contracts/order-lines.js';
import { functionCall, type LedgerPool } from './ledger-pool.js';
import type { OrderState } from './rows.js';

const take = functionCall('outbox_take', 1);
const markPublished = functionCall('outbox_mark_published', 1);

/** One change of one order's state that is to be told. */
export interface OutboxEntry {
  id: number;
  orderId: string;
  storeId: string;
  userId: string;
  /** Version and state that the change made. */
  version: number;
  state: OrderState;
  at: Date;
  lines: OrderLine[];
}

interface OutboxRow {
  id: number;
  order_id: string;
  order_version: number;
  state: OrderState;
  at: Date;
  store_id: string;
  user_id: string;
  lines: { sku_id: string; attendee_id: string; quantity: number }[];
}

/** The calls of the relay that tells the world. */
export function outboxCalls(pool: LedgerPool) {
  return {
    /**
     * The lowest unpublished entries, by id; of one order they come in the order of its versions. Nothing is reserved:
     * two relays get the same ones. A lower id may be committed later and is then the first of the next call.
     */
    async outboxTake(limit: number): Promise<OutboxEntry[]> {
      const rows = await pool.query<OutboxRow>(take, [limit]);
      return rows.map((row) => ({
        id: row.id,
        orderId: row.order_id,
        storeId: row.store_id,
        userId: row.user_id,
        version: row.order_version,
        state: row.state,
        at: row.at,
        lines: row.lines.map((line) => ({
          skuId: line.sku_id,
          quantity: line.quantity,
          attendeeId: line.attendee_id,
        })),
      }));
    },

    /** Notes that entries are published; they are not taken again. Again the same is fine. */
    async outboxMarkPublished(ids: readonly number[]): Promise<void> {
      if (ids.length > 0) await pool.query(markPublished, [ids]);
    },
  };
}
