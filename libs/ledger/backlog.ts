import { functionCall, type LedgerPool } from './ledger-pool.js';

const read = functionCall('backlog_read', 0);

/** What waits in the ledger; counts end at 100,000. */
export interface Backlog {
  /** Events that are unpublished, and the age of the oldest in ms. */
  events: number;
  oldestMs: number;
  /** Dead letters that nobody has seen to. */
  letters: number;
}

/** The call that reads what waits. */
export function backlogCalls(pool: LedgerPool) {
  return {
    /** What waits to be published, and for a person. Errors as every call, by the deadline. */
    async backlogRead({ deadlineMs }: { deadlineMs: number }): Promise<Backlog> {
      const rows = await pool.query<{ events: number; oldest_ms: number; letters: number }>(read, [], { deadlineMs });
      const [row] = rows;
      if (!row) throw new Error('backlog_read gave no row');
      return { events: row.events, oldestMs: row.oldest_ms, letters: row.letters };
    },
  };
}
