import { randomUUID } from 'node:crypto';
import { orderId } from '#libs/contracts/order-id.js';
import { createPool, type PoolOptions, type PostgresPool } from '#libs/postgres/pool.js';
import { createLogger } from '#libs/runtime/logger.js';
import { createMetrics } from '#libs/runtime/metrics.js';
import { testPostgres } from '#libs/testing/test-postgres.js';
import type { ClaimToAdmit } from './claims-batch.js';
import { type Ledger, openLedger, RUNTIME_ROLE } from './ledger.js';
import type { OrderLine } from './lines.js';
import type { Sku } from './rows.js';
import type { SkuToPut } from './sku-violations.js';

/** A ledger of a test's own. */
export interface TestLedger {
  ledger: Ledger;
  /** Connects as the services do. */
  runtime: PostgresPool;
  url: string;
  /** Runs SQL as the owner, who may do what the services may not. */
  sql<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Creates a sku of 'store-1': one unit for each attendee, free of charge unless said otherwise. */
  sku(parts?: Partial<SkuToPut>): Promise<Sku>;
  drop(): Promise<void>;
}

export async function testLedger(pool: Partial<PoolOptions> = {}): Promise<TestLedger> {
  const database = await testPostgres();
  const open = (options: Partial<PoolOptions>): PostgresPool =>
    createPool({
      url: database.url,
      max: 8,
      applicationName: 'test',
      connectTimeoutMs: 5_000,
      statementTimeoutMs: 20_000,
      lockTimeoutMs: 20_000,
      maxWaiting: 1_000,
      metrics: createMetrics(),
      logger: createLogger('test', 'silent'),
      ...options,
    });
  const owner = open({ max: 4 });
  const runtime = open({ role: RUNTIME_ROLE, ...pool });
  const ledger = openLedger(runtime);
  return {
    ledger,
    runtime,
    url: database.url,
    // Statements with values are prepared, under any name of their own.
    sql: (text, values = []) => owner.query({ name: values.length > 0 ? randomUUID() : '', text }, values),
    sku: async (parts) => (await ledger.skuPut({ ...plainSku(), ...parts })).sku,
    drop: async () => {
      await Promise.all([owner.close(), runtime.close()]);
      await database.drop();
    },
  };
}

function plainSku(): SkuToPut {
  return {
    skuId: `sku-${randomUUID()}`,
    storeId: 'store-1',
    title: 'A sku',
    capacity: 10,
    timeZone: '',
    perUserLimit: 1,
    maxPerOrder: 10,
    holdTtlSeconds: 900,
    paymentRequired: true,
    priceMinor: 1_500,
    currency: 'EUR',
    ratePerSecond: 50,
    rateBurst: 50,
    paused: false,
  };
}

/** A claim of one user: new unless a request id is given, for themselves unless lines are given. */
export function claimOf(
  userId: string,
  wanted: string | readonly OrderLine[],
  parts: Partial<ClaimToAdmit> = {},
): ClaimToAdmit {
  const storeId = parts.storeId ?? 'store-1';
  const requestId = parts.requestId ?? randomUUID();
  const lines = typeof wanted === 'string' ? [{ skuId: wanted, quantity: 1, attendeeId: userId }] : wanted;
  return { orderId: orderId(storeId, userId, requestId), storeId, userId, requestId, lines, record: true, ...parts };
}
