import { setTimeout as pause } from 'node:timers/promises';
import { type Ledger, openLedger } from '#libs/ledger/ledger.js';
import { createPool, type PostgresPool } from '#libs/postgres/pool.js';
import { sqlFile } from '#libs/postgres/statement.js';
import { createLogger } from '#libs/runtime/logger.js';
import { createMetrics } from '#libs/runtime/metrics.js';

const skuRows = sqlFile(new URL('../sql/sku_rows.sql', import.meta.url));
const confirmedOrder = sqlFile(new URL('../sql/confirmed_order.sql', import.meta.url));
const ordersCount = sqlFile(new URL('../sql/orders_count.sql', import.meta.url));
const ordersOfSku = sqlFile(new URL('../sql/orders_of_sku.sql', import.meta.url));
const releasedAt = sqlFile(new URL('../sql/released_at.sql', import.meta.url));
const heldCounts = sqlFile(new URL('../sql/held_counts.sql', import.meta.url));
/** What is promised is decided within so long. */
const decidedWithinMs = 5_000;
const lookEveryMs = 100;
const shownViolations = 5;

/** Where the units of a sku are, and the rows that its orders have left. */
export interface SkuRows {
  capacity: number;
  free: number;
  held: number;
  sold: number;
  confirmed_rows: number;
  refused_rows: number;
}

/** Looks into a ledger before and after a run, on connections of its own and with the rights of its owner. */
export class LedgerWitness {
  readonly ledger: Ledger;
  readonly #pool: PostgresPool;

  constructor(url: string) {
    this.#pool = createPool({
      url,
      max: 2,
      applicationName: 'bench-witness',
      connectTimeoutMs: 5_000,
      statementTimeoutMs: 60_000,
      lockTimeoutMs: 10_000,
      maxWaiting: 10_000,
      logger: createLogger('bench', 'silent'),
      metrics: createMetrics(),
    });
    this.ledger = openLedger(this.#pool);
  }

  /** Puts skus of one store on sale, `capacity` units each, one an attendee, to be paid. */
  async putSkus(storeId: string, skuIds: string[], capacity: number): Promise<void> {
    const terms = {
      timeZone: '',
      perUserLimit: 1,
      maxPerOrder: 10,
      holdTtlSeconds: 86_400,
      paymentRequired: true,
      priceMinor: 1500,
      currency: 'EUR',
      rateLimit: { perSecond: 50, burst: 50 },
      onBusy: 'QUEUE',
      paused: false,
    };
    await Promise.all(skuIds.map((skuId) => this.ledger.skuPut({ skuId, storeId, title: skuId, capacity, ...terms })));
  }

  /** What the audit finds, and the miscounts of these skus. */
  async violations(skuIds: string[], held: number, unknown = 0): Promise<string[]> {
    return [...(await this.miscounts(skuIds, held, unknown)), ...(await this.audited())];
  }

  /**
   * Counts that are not as they must be when these skus have `held` orders of one unit each and nothing else, but for
   * `unknown` tries that may have become one. Takes no longer when the ledger has much else.
   */
  async miscounts(skuIds: string[], held: number, unknown = 0): Promise<string[]> {
    const deadline = Date.now() + decidedWithinMs;
    let counts = await this.#counts(skuIds);
    while ((counts.orders ?? 0) < held && Date.now() < deadline) {
      await pause(lookEveryMs);
      counts = await this.#counts(skuIds);
    }
    const wrong = Object.entries(counts).filter(([, count]) => count < held || count > held + unknown);
    return wrong.map(([name, count]) => `${name}: ${count} where ${held} orders are held`);
  }

  /** What the ledger's own audit finds. */
  async audited(): Promise<string[]> {
    const audit = await this.ledger.audit();
    return audit.violations
      .slice(0, shownViolations)
      .map(({ violation, skuId, orderId }) => `${violation} sku ${skuId ?? '-'} order ${orderId ?? '-'}`);
  }

  /** What a proof of one sku finds, with all its orders. */
  async disproved(skuId: string): Promise<string[]> {
    const { findings } = await this.ledger.skuProve(skuId, shownViolations);
    return findings.map(({ kind, orderId }) => `${kind} sku ${skuId} order ${orderId ?? '-'}`);
  }

  async skuRows(skuId: string): Promise<SkuRows> {
    const [rows] = await this.#pool.query<SkuRows>(skuRows, [skuId]);
    if (rows === undefined) throw new Error(`there is no sku ${skuId}`);
    return rows;
  }

  /** How many orders there are. */
  async orders(): Promise<number> {
    const [row] = await this.#pool.query<{ orders: number }>(ordersCount, []);
    return row?.orders ?? 0;
  }

  /** How many orders have units of a sku. */
  async ordersOf(skuId: string): Promise<number> {
    const [row] = await this.#pool.query<{ orders: number }>(ordersOfSku, [skuId]);
    return row?.orders ?? 0;
  }

  /** One order of a sku that is sold. */
  async confirmedOrder(skuId: string): Promise<{ order_id: string; user_id: string }> {
    const [order] = await this.#pool.query<{ order_id: string; user_id: string }>(confirmedOrder, [skuId]);
    if (order === undefined) throw new Error(`nobody has a unit of ${skuId}`);
    return order;
  }

  /** When the units of a cancelled order were released, in Unix milliseconds. */
  async releasedAtMs(orderId: string): Promise<number> {
    const [row] = await this.#pool.query<{ at_ms: number }>(releasedAt, [orderId]);
    return row?.at_ms ?? Number.NaN;
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  async #counts(skuIds: string[]): Promise<Record<string, number>> {
    const [counts] = await this.#pool.query<Record<string, number>>(heldCounts, [skuIds]);
    return counts ?? {};
  }
}
