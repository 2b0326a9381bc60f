import { setTimeout as pause } from 'node:timers/promises';
import { type Ledger, openLedger } from '#libs/ledger/ledger.js';
import { createPool, type PostgresPool } from '#libs/postgres/pool.js';
import { sqlFile } from '#libs/postgres/statement.js';
import { createLogger } from '#libs/runtime/logger.js';
import { createMetrics } from '#libs/runtime/metrics.js';

const heldCounts = sqlFile(new URL('../sql/held_counts.sql', import.meta.url));
/** What is promised is decided within so long. */
const decidedWithinMs = 5_000;
const lookEveryMs = 100;
const shownViolations = 5;

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
      holdTtlSeconds: 900,
      paymentRequired: true,
      priceMinor: 1500,
      currency: 'EUR',
      rateLimit: { perSecond: 50, burst: 50 },
      onBusy: 'QUEUE',
      paused: false,
    };
    await Promise.all(skuIds.map((skuId) => this.ledger.skuPut({ skuId, storeId, title: skuId, capacity, ...terms })));
  }

  /** What the audit finds, and counts that are not as they must be when these skus have `held` orders of one unit each and nothing else. */
  async violations(skuIds: string[], held: number): Promise<string[]> {
    const deadline = Date.now() + decidedWithinMs;
    let counts = await this.#counts(skuIds);
    while ((counts.orders ?? 0) < held && Date.now() < deadline) {
      await pause(lookEveryMs);
      counts = await this.#counts(skuIds);
    }
    const wrong = Object.entries(counts).filter(([, count]) => count !== held);
    const audit = await this.ledger.audit();
    return [
      ...wrong.map(([name, count]) => `${name}: ${count} where ${held} orders are held`),
      ...audit.violations
        .slice(0, shownViolations)
        .map(({ violation, skuId, orderId }) => `${violation} sku ${skuId ?? '-'} order ${orderId ?? '-'}`),
    ];
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  async #counts(skuIds: string[]): Promise<Record<string, number>> {
    const [counts] = await this.#pool.query<Record<string, number>>(heldCounts, [skuIds]);
    return counts ?? {};
  }
}
