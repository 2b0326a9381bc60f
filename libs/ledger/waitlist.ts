import { retryConflicts } from '#libs/postgres/errors.js';
import { Fault } from '#libs/refusal/fault.js';
import { entriesRead } from './decisions.js';
import { functionCall, type LedgerPool } from './ledger-pool.js';
import { type EntryRow, toWaitlistEntry, type WaitlistEntry } from './waitlist-rows.js';

const ATTEMPTS = 5;
const leave = functionCall('waitlist_leave', 3);
const accept = functionCall('offer_accept', 2);
const get = functionCall('waitlist_entry_get', 4);

/** Which entry is asked for: by its id, or the one by which a user waits at a sku. */
export type EntryQuery = { entryId: string; userId?: string } | { userId: string; skuId: string };

interface ChangedRow {
  outcome: 'LEFT' | 'DECLINED' | 'ACCEPTED' | 'UNCHANGED' | 'UNPAID' | 'REFUSED' | 'NOT_FOUND';
  entry_row: EntryRow | null;
}

/** The calls about those who wait. */
export function waitlistCalls(pool: LedgerPool) {
  async function entryGet(query: EntryQuery): Promise<WaitlistEntry> {
    const values =
      'entryId' in query ? [query.entryId, null, null, query.userId ?? null] : [null, query.userId, query.skuId, null];
    const [row] = await pool.query<{ now: Date; entry_row: EntryRow }>(get, values);
    if (!row) throw entryNotFound('entryId' in query ? { entry_id: query.entryId } : { sku_id: query.skuId });
    return toWaitlistEntry(row.entry_row, row.now);
  }

  async function change(statement: typeof leave, entryId: string, values: unknown[]) {
    const [row] = await retryConflicts(() => pool.query<ChangedRow>(statement, [entryId, ...values]), ATTEMPTS);
    if (!row?.entry_row) throw entryNotFound({ entry_id: entryId });
    return { outcome: row.outcome, entry: toWaitlistEntry(row.entry_row, new Date(0)) };
  }

  return {
    /** Entries by their ids; unknown ones are left out. */
    async waitlistEntriesRead(entryIds: readonly string[]): Promise<WaitlistEntry[]> {
      return (await entriesRead(pool, entryIds)).map((row) => toWaitlistEntry(row.entry_row, row.now));
    },

    /** One entry. Fault WAITLIST_ENTRY_NOT_FOUND when there is none, or when a user is given and it is another's. */
    waitlistEntryGet: entryGet,

    /**
     * Ends the wait of an entry, or cancels the offer that it was made; what was kept for it goes to the next. One that has
     * ended is given as it is (`changed` false). Only the user's own when a user is given.
     *
     * Errors: Fault WAITLIST_ENTRY_NOT_FOUND; ORDER_STATE when its order is confirmed: that is cancelled as an order; BUSY
     * and UNAVAILABLE as every call.
     */
    async waitlistLeave(asked: {
      entryId: string;
      userId?: string;
      reason?: string;
    }): Promise<{ entry: WaitlistEntry; changed: boolean }> {
      const { outcome, entry } = await change(leave, asked.entryId, [asked.userId ?? null, asked.reason ?? null]);
      if (outcome === 'REFUSED') throw stateFault(entry, 'its order is confirmed, and cancelled as an order');
      return { entry, changed: outcome !== 'UNCHANGED' };
    },

    /**
     * Takes an offer for which nothing is to be paid. Errors: as waitlistLeave; ORDER_STATE when there is no offer, when it
     * is over, and when it is to be paid for.
     */
    async offerAccept(asked: {
      entryId: string;
      userId?: string;
    }): Promise<{ entry: WaitlistEntry; changed: boolean }> {
      const { outcome, entry } = await change(accept, asked.entryId, [asked.userId ?? null]);
      if (outcome === 'UNPAID') throw stateFault(entry, 'the offer is taken by paying for its order');
      if (outcome === 'REFUSED') throw stateFault(entry, 'there is no offer to take');
      return { entry, changed: outcome === 'ACCEPTED' };
    },
  };
}

function entryNotFound(metadata: Record<string, string>): Fault {
  return new Fault('WAITLIST_ENTRY_NOT_FOUND', 'there is no such entry of a waitlist', { metadata });
}

function stateFault(entry: WaitlistEntry, message: string): Fault {
  const { entryId, orderId, state } = entry;
  return new Fault('ORDER_STATE', message, {
    metadata: { entry_id: entryId, ...(orderId && { order_id: orderId }), state },
  });
}
