import type { Pool } from 'pg';
import { type Statement, sqlFile } from '#libs/postgres/statement.js';

const sql = (name: string): Statement => sqlFile(new URL(`./sql/${name}.sql`, import.meta.url));
const holdsDue = sql('holds_due');
const holdExpire = sql('hold_expire');
const listed = 1_000;

/**
 * Ends the holds that are past their expiry: one transaction each, of one statement, so many at once. They are listed a
 * thousand at a time. Resolves with how many it ended.
 */
export async function expireOneByOne(pool: Pool, concurrency: number): Promise<number> {
  let expired = 0;
  for (;;) {
    const { rows: due } = await pool.query<{ order_id: string }>({ ...holdsDue, values: [listed] });
    if (due.length === 0) return expired;
    const expireInTurn = async (): Promise<void> => {
      for (let hold = due.pop(); hold; hold = due.pop()) {
        const { rows } = await pool.query({ ...holdExpire, values: [hold.order_id] });
        expired += rows.length;
      }
    };
    await Promise.all(Array.from({ length: concurrency }, expireInTurn));
  }
}
