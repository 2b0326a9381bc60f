import { functionCall, type LedgerPool } from './ledger-pool.js';
import { cutPage, isRowNumber, type PageQuery, readPage } from './page.js';
import { type Instant, isInstant, toDate } from './rows.js';

const list = functionCall('movements_list', 5);
const stats = functionCall('holds_stats', 3);

/** One order's change of a sku's units. Differences, which add up to zero. */
export interface Movement {
  at: Date;
  orderId: string;
  orderVersion: number;
  skuId: string;
  free: number;
  reserved: number;
  held: number;
  sold: number;
  /** The event, such as ADMIT, PAY, CANCEL, CANCEL_PART, MOVE, EXPIRE, PROMOTE or REPAIR. */
  reason: string;
  userId?: string;
  /** A user, an operator, or what did it: payment, expiry, waitlist, reconcile. */
  changedBy: string;
  note?: string;
  /** Orders of waiters that took up what came back, in the same transaction. */
  wentTo: string[];
}

/** What became of the holds that were made since an instant. */
export interface HoldsStats {
  holds: number;
  paid: number;
  /** Of those paid, how many within so many minutes. */
  paidIn5: number;
  paidIn10: number;
  paidIn15: number;
  paidIn30: number;
  expired: number;
  cancelled: number;
  open: number;
  /** Units times minutes that were held for nothing. */
  vainUnitMinutes: number;
}

interface MovementRow {
  at: Instant;
  order_id: string;
  order_version: number;
  sku_id: string;
  delta_free: number;
  delta_reserved: number;
  delta_held: number;
  delta_sold: number;
  reason: string;
  user_id: string | null;
  changed_by: string;
  note: string | null;
  went_to: string[];
  sequence: number;
}

/** The calls that tell how units moved. */
export function movementCalls(pool: LedgerPool) {
  return {
    /** Movements of a sku, or of an order, the newest first. Fault INVALID_REQUEST for a page that cannot be. */
    async movementsList(
      of: { skuId: string } | { orderId: string },
      query: PageQuery,
    ): Promise<{ movements: Movement[]; nextPageToken: string }> {
      const [skuId, orderId] = 'skuId' in of ? [of.skuId, null] : [null, of.orderId];
      const name = `movements ${skuId ?? ''} ${orderId ?? ''}`;
      const { size, after = [null, null] } = readPage(name, query, [isInstant, isRowNumber]);
      const found = await pool.query<MovementRow>(list, [skuId, orderId, ...after, size + 1]);
      const keyOf = (row: MovementRow): string[] => [toDate(row.at).toISOString(), String(row.sequence)];
      const { rows, nextPageToken } = cutPage(name, found, { size, keyOf });
      return { movements: rows.map(toMovement), nextPageToken };
    },

    /** What became of the holds of a sku, or of all skus of a store, that were made since an instant. */
    async holdsStats(of: { storeId: string } | { skuId: string }, since: Date): Promise<HoldsStats> {
      type Row = Record<`paid_in_${5 | 10 | 15 | 30}` | 'holds' | 'paid' | 'expired' | 'cancelled' | 'open', number>;
      const which = 'storeId' in of ? [of.storeId, null] : [null, of.skuId];
      const [row] = await pool.query<Row & { vain_unit_minutes: number }>(stats, [...which, since]);
      if (!row) throw new Error('holds_stats gave no row');
      const { holds, paid, expired, cancelled, open, vain_unit_minutes: vainUnitMinutes } = row;
      const within = { paidIn5: row.paid_in_5, paidIn10: row.paid_in_10 };
      const later = { paidIn15: row.paid_in_15, paidIn30: row.paid_in_30 };
      return { holds, paid, ...within, ...later, expired, cancelled, open, vainUnitMinutes };
    },
  };
}

function toMovement(row: MovementRow): Movement {
  return {
    at: toDate(row.at),
    orderId: row.order_id,
    orderVersion: row.order_version,
    skuId: row.sku_id,
    free: row.delta_free,
    reserved: row.delta_reserved,
    held: row.delta_held,
    sold: row.delta_sold,
    reason: row.reason,
    ...(row.user_id !== null && { userId: row.user_id }),
    changedBy: row.changed_by,
    ...(row.note !== null && { note: row.note }),
    wentTo: row.went_to,
  };
}
