import { readFileSync } from 'node:fs';
import { Client } from 'pg';
import type { AttendeeFacts, LedgerFacts, OrderFacts, SkuFacts } from './ledger-facts.js';

const RUN_STOCK = readFileSync(new URL('./sql/run_stock.sql', import.meta.url), 'utf8');
const RUN_ORDERS = readFileSync(new URL('./sql/run_orders.sql', import.meta.url), 'utf8');
const RUN_ATTENDEES = readFileSync(new URL('./sql/run_attendees.sql', import.meta.url), 'utf8');
const STATEMENT_TIMEOUT_MS = 30_000;

/** The judge's own look at the ledger: a read-only connection that no service shares. */
export class LedgerReader {
  readonly #client: Client;

  private constructor(client: Client) {
    this.#client = client;
  }

  static async open(url: string): Promise<LedgerReader> {
    const client = new Client({
      connectionString: url,
      application_name: 'holdfast-rush',
      statement_timeout: STATEMENT_TIMEOUT_MS,
      options: '-c default_transaction_read_only=on',
    });
    client.on('error', () => {}); // Whoever asks next is told.
    await client.connect();
    return new LedgerReader(client);
  }

  /** How far the ledger's clock is ahead of this process's, in milliseconds. */
  async clockAheadMs(): Promise<number> {
    const asked = Date.now();
    const { rows } = await this.#client.query<{ now: Date }>('SELECT clock_timestamp() AS now');
    const answered = Date.now();
    return (rows[0]?.now.getTime() ?? answered) - (asked + answered) / 2;
  }

  /** Everything about these skus, all of one instant. Times are turned into this process's clock. */
  async facts(skuIds: string[], clockAheadMs: number): Promise<LedgerFacts> {
    await this.#client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    try {
      const skus = await this.#client.query<Omit<SkuFacts, 'returnedAt'> & { returnedAt: Date | null }>(RUN_STOCK, [
        skuIds,
      ]);
      const orders = await this.#client.query<OrderFacts>(RUN_ORDERS, [skuIds]);
      const attendees = await this.#client.query<AttendeeFacts>(RUN_ATTENDEES, [skuIds]);
      return {
        skus: skus.rows.map(({ returnedAt, ...counters }) =>
          returnedAt ? { ...counters, returnedAt: new Date(returnedAt.getTime() - clockAheadMs) } : counters,
        ),
        orders: orders.rows,
        attendees: attendees.rows,
      };
    } finally {
      await this.#client.query('COMMIT');
    }
  }

  async close(): Promise<void> {
    await this.#client.end();
  }
}
