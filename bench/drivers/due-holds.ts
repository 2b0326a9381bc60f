import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { type Statement, sqlFile } from '#libs/postgres/statement.js';

const sql = (name: string): Statement => sqlFile(new URL(`../sql/${name}.sql`, import.meta.url));
const dueHolds = sql('due_holds');
const holdsLeft = sql('holds_left');
const expiryBatches = sql('expiry_batches');
const expiredCounts = sql('expired_counts');
const admittedCount = sql('admitted_count');
const lookEveryMs = 20;

/** Holds that all end at one instant. */
export interface HoldsPlan {
  storeId: string;
  skus: number;
  /** One unit each; a multiple of the skus. */
  holds: number;
  endAt: Date;
}

/** Writes holds into a ledger and sees what becomes of them, as the ledger's owner. */
export class DueHolds {
  private constructor(
    private readonly client: Client,
    /** Begins the id of each sku. */
    private readonly tag: string,
  ) {}

  static async open(connectionString: string, tag: string): Promise<DueHolds> {
    const client = new Client({ connectionString });
    await client.connect();
    return new DueHolds(client, tag);
  }

  /** Writes them, and to the disk whatever was left to be written. */
  async fill({ storeId, skus, holds, endAt }: HoldsPlan): Promise<void> {
    await this.#rows(dueHolds, [storeId, this.tag, skus, holds, endAt]);
    await this.client.query('ANALYZE');
    await this.client.query('CHECKPOINT');
  }

  /** Resolves when no hold is left, with an instant after the last release; rejects when that takes too long. */
  async ended(withinMs: number): Promise<Date> {
    const until = performance.now() + withinMs;
    for (;;) {
      const [look] = await this.#rows<{ are_left: boolean; at: Date }>(holdsLeft, [this.tag]);
      if (look && !look.are_left) return look.at;
      if (performance.now() > until) throw new Error(`after ${withinMs} ms holds are left`);
      await pause(lookEveryMs);
    }
  }

  /** For each hold by how many milliseconds it was released too late, at most. */
  async lateMs(endAt: Date, noneLeftAt: Date): Promise<number[]> {
    const batches = await this.#rows<{ holds: number; late_ms: number }>(expiryBatches, [this.tag, endAt, noneLeftAt]);
    return batches.flatMap(({ holds, late_ms: lateMs }) => Array.from({ length: holds }, () => lateMs));
  }

  /** Orders of another sku that were admitted within a time, in a second. */
  async admittedPerSecond(skuId: string, from: Date, to: Date): Promise<number> {
    const [row] = await this.#rows<{ orders: number }>(admittedCount, [skuId, from, to]);
    return (1_000 * (row?.orders ?? 0)) / (to.getTime() - from.getTime());
  }

  /** Counts that are not as they must be when all of so many holds have ended. */
  async violations(holds: number): Promise<string[]> {
    const [counts] = await this.#rows<Record<string, number>>(expiredCounts, [this.tag]);
    return Object.entries(counts ?? {})
      .filter(([, count]) => count !== holds)
      .map(([name, count]) => `${name}: ${count} where ${holds} holds ended`);
  }

  close(): Promise<void> {
    return this.client.end();
  }

  async #rows<Row extends object>({ text }: Statement, values: unknown[]): Promise<Row[]> {
    return (await this.client.query<Row>(text, values)).rows;
  }
}
