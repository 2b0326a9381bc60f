import { retryConflicts } from '#libs/postgres/errors.js';
import { Fault } from '#libs/refusal/fault.js';
import { changeViolations } from './control-violations.js';
import { functionCall, type LedgerPool } from './ledger-pool.js';
import { isId } from './lines.js';
import { cutPage, isRowNumber, type PageQuery, readPage } from './page.js';
import type { SkuChange } from './sku-control.js';
import { skuNotFound } from './sku-put.js';
import { type EntryRow, toWaitlistEntry, type WaitlistEntry } from './waitlist-rows.js';

const ATTEMPTS = 5;
const list = functionCall('waitlist_list', 4);
const setPaused = functionCall('waitlist_set_paused', 6);
const promote = functionCall('waitlist_promote', 1);
const end = functionCall('waitlist_end', 1);

/** Who waits at a sku. */
export interface WaitlistPage {
  /** How many wait in all, and units that are kept for them. */
  waiting: number;
  reserved: number;
  paused: boolean;
  /** In the order of their arrival. */
  entries: WaitlistEntry[];
  nextPageToken: string;
}

/** The calls by which operators and jobs see to those who wait. */
export function waitlistDeskCalls(pool: LedgerPool) {
  return {
    /** Who waits at a sku. Fault SKU_NOT_FOUND, also for another store's; INVALID_REQUEST for a page that cannot be. */
    async waitlistList(of: { storeId: string; skuId: string }, query: PageQuery): Promise<WaitlistPage> {
      const name = `waitlist_list ${of.skuId}`;
      const { size, after } = readPage(name, query, [isRowNumber]);
      interface ListRow {
        now: Date;
        waiting: number;
        reserved: number;
        paused: boolean;
        entries: EntryRow[];
      }
      const [found] = await pool.query<ListRow>(list, [of.storeId, of.skuId, after?.[0] ?? 0, size + 1]);
      if (!found) throw skuNotFound(of.skuId);
      const { rows, nextPageToken } = cutPage(name, found.entries, { size, keyOf: (row) => [String(row.place)] });
      const { waiting, reserved, paused } = found;
      return { waiting, reserved, paused, entries: rows.map((row) => toWaitlistEntry(row, found.now)), nextPageToken };
    },

    /**
     * Stops offering what comes free at a sku, or goes on; the same request again changes nothing. `promoted`: who was made
     * an offer by it. Errors: Fault INVALID_REQUEST, SKU_NOT_FOUND, REQUEST_ID_REUSED; BUSY and UNAVAILABLE as every call.
     */
    async waitlistSetPaused(asked: SkuChange & { paused: boolean }): Promise<{ changed: boolean; promoted: number }> {
      const { storeId, skuId, operator, reason, requestId } = asked;
      const violations = changeViolations(asked);
      if (violations.length > 0) throw new Fault('INVALID_REQUEST', 'the change is not well formed', { violations });
      if (!isId(storeId) || !isId(skuId)) throw skuNotFound(skuId);
      const [row] = await retryConflicts(
        () =>
          pool.query<{ outcome: 'CHANGED' | 'UNCHANGED' | 'KNOWN' | 'REQUEST_ID_REUSED'; promoted: number }>(
            setPaused,
            [storeId, skuId, asked.paused, reason, operator, requestId],
          ),
        ATTEMPTS,
      );
      if (!row) throw skuNotFound(skuId);
      if (row.outcome === 'REQUEST_ID_REUSED')
        throw new Fault('REQUEST_ID_REUSED', 'the request id was used for another change');
      return { changed: row.outcome === 'CHANGED', promoted: row.promoted };
    },

    /** Goes on with those who wait where there is something to give, at most so many skus (1..1000) at a time. */
    async waitlistPromote(batchSize: number): Promise<{ promoted: number; skuIds: string[] }> {
      const [row] = await retryConflicts(
        () => pool.query<{ promoted: number; sku_ids: string[] }>(promote, [batchSize]),
        ATTEMPTS,
      );
      if (!row) throw new Error('waitlist_promote gave no row');
      return { promoted: row.promoted, skuIds: row.sku_ids };
    },

    /** Ends the wait at sales that are over, at most so many entries (1..10,000) at a time; how many ended. */
    async waitlistEnd(batchSize: number): Promise<number> {
      const [row] = await retryConflicts(() => pool.query<{ waitlist_end: number }>(end, [batchSize]), ATTEMPTS);
      return row?.waitlist_end ?? 0;
    },
  };
}
