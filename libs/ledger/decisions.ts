import { type Decision, decisionOf } from './decision.js';
import { functionCall, type LedgerPool } from './ledger-pool.js';
import { orderCalls } from './orders.js';
import { type OrderRow, toOrder } from './rows.js';
import { type EntryRow, type EntryWordRow, toEntryWord } from './waitlist-rows.js';

const read = functionCall('entries_read', 1);

/** A row of the function entries_read. */
interface EntryRead {
  entry_id: string;
  word: EntryWordRow;
  order_row: OrderRow | null;
  entry_row: EntryRow;
  now: Date;
}

/** Entries of waitlists as entries_read gives them. */
export async function entriesRead(pool: LedgerPool, entryIds: readonly string[]): Promise<EntryRead[]> {
  return entryIds.length === 0 ? [] : pool.query<EntryRead>(read, [entryIds]);
}

/** The calls that read what was decided of claims. */
export function decisionCalls(pool: LedgerPool) {
  const { ordersRead } = orderCalls(pool);
  return {
    /** What the ledger has decided of claims: their orders, places in a line, or the offers made to them; unknown ids are left out. */
    async decisionsRead(claimIds: readonly string[]): Promise<Decision[]> {
      const orders = await ordersRead(claimIds);
      const known = new Set(orders.map(({ orderId }) => orderId));
      const rows = await entriesRead(
        pool,
        claimIds.filter((id) => !known.has(id)),
      );
      return [
        ...orders.map(decisionOf),
        ...rows.map((row): Decision => {
          const orderId = row.entry_id;
          if (row.order_row) return { orderId, kind: 'ORDER', order: toOrder(row.order_row) };
          return { orderId, kind: 'WAITLISTED', entry: toEntryWord(row.word) };
        }),
      ];
    },
  };
}
