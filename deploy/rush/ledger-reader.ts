import { readFileSync } from 'node:fs';
import { Client } from 'pg';
import type { AttendeeFacts, LedgerFacts, OrderFacts, SkuFacts } from './ledger-facts.js';

const RUN_STOCK = readFileSync(new URL('./sql/run_stock.sql', import.meta.url), 'utf8');
const RUN_ORDERS = readFileSync(new URL('./sql/run_orders.sql', import.meta.url), 'utf8');
const RUN_ATTENDEES = readFileSync(new URL('./sql/run_attendees.sql', import.meta.url), 'utf8');
const CONNECT_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 30_000;

/** The judge's own look at the ledger: read-only, over connections that no service shares, a new one for each look. */
export class LedgerReader {
  constructor(readonly url: string) {}

  /** How far the ledger's clock is ahead of this process's, in milliseconds. */
  clockAheadMs(): Promise<number> {
    return this.#look(async (client) => {
      const asked = Date.now();
      const { rows } = await client.query<{ now: Date }>('SELECT clock_timestamp() AS now');
      const answered = Date.now();
      return (rows[0]?.now.getTime() ?? answered) - (asked + answered) / 2;
    });
  }

  /** Everything about these skus, all of one instant. Times are turned into this process's clock. */
  facts(skuIds: string[], clockAheadMs: number): Promise<LedgerFacts> {
    return this.#look(async (client) => {
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      const skus = await client.query<StockRow>(RUN_STOCK, [skuIds]);
      const orders = await client.query<OrderFacts>(RUN_ORDERS, [skuIds]);
      const attendees = await client.query<AttendeeFacts>(RUN_ATTENDEES, [skuIds]);
      return {
        skus: skus.rows.map(({ returnedAt, ...counters }) =>
          returnedAt ? { ...counters, returnedAt: new Date(returnedAt.getTime() - clockAheadMs) } : counters,
        ),
        orders: orders.rows,
        attendees: attendees.rows,
      };
    });
  }

  async #look<Result>(read: (client: Client) => Promise<Result>): Promise<Result> {
    const client = new Client({
      connectionString: this.url,
      application_name: 'holdfast-rush',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      statement_timeout: STATEMENT_TIMEOUT_MS,
    });
    client.on('error', () => {}); // The query that it breaks rejects as well.
    try {
      await client.connect();
      return await read(client);
    } finally {
      await client.end();
    }
  }
}

interface StockRow extends Omit<SkuFacts, 'returnedAt'> {
  returnedAt: Date | null;
}
