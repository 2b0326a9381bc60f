import { randomUUID } from 'node:crypto';
import { orderId } from '#libs/contracts/order-id.js';
import type { OrderLine } from '#libs/contracts/order-lines.js';
import { createPool, type PoolOptions, type PostgresPool } from '#libs/postgres/pool.js';
import { createLogger } from '#libs/runtime/logger.js';
import { createMetrics } from '#libs/runtime/metrics.js';
import { testPostgres } from '#libs/testing/test-postgres.js';
import type { ClaimToAdmit } from './claims-batch.js';
import type { Decision } from './decision.js';
import { type Ledger, openLedger, RUNTIME_ROLE } from './ledger.js';
import type { LedgerOrder, Sku, SkuStock } from './rows.js';
import type { SkuToPut } from './sku-violations.js';

/** A ledger of a test's own. */
export interface TestLedger {
  ledger: Ledger;
  /** Connects as the services do. */
  runtime: PostgresPool;
  url: string;
  /** Runs SQL as the owner, who may do what the services may not. */
  sql<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Creates a sku of 'store-1'; see `plainSku`. */
  sku(parts?: Partial<SkuToPut>): Promise<Sku>;
  /** Admits one claim. */
  admit(claim: ClaimToAdmit): Promise<Decision>;
  /** Admits one claim that must become an order. */
  order(claim: ClaimToAdmit): Promise<LedgerOrder>;
  stock(skuId: string): Promise<SkuStock>;
  /** Lets a hold end `secondsAgo`, or in so many seconds when negative. */
  expire(orderId: string, secondsAgo?: number): Promise<void>;
  /** What the audit finds, in words: nothing, when the laws hold. */
  violations(): Promise<string[]>;
  drop(): Promise<void>;
}

/** Opens a migrated database of its own; `pool` changes how the services' pool is. To be dropped in `after`. */
export async function testLedger(pool: Partial<PoolOptions> = {}): Promise<TestLedger> {
  const database = await testPostgres();
  const owner = openPool(database.url, { max: 4 });
  const runtime = openPool(database.url, { role: RUNTIME_ROLE, ...pool });
  const ledger = openLedger(runtime);
  // Statements with values are prepared: under any name of their own.
  const sql = <Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> =>
    owner.query<Row>({ name: values.length > 0 ? randomUUID() : '', text }, values);
  const admit = async (claim: ClaimToAdmit): Promise<Decision> => only(await ledger.claimsAdmit([claim]));
  return {
    ledger,
    runtime,
    url: database.url,
    sql,
    sku: async (parts) => (await ledger.skuPut({ ...plainSku(), ...parts })).sku,
    admit,
    order: async (claim) => orderOf(await admit(claim)),
    stock: async (skuId) => only((await ledger.stockRead([skuId])).skus),
    expire: async (id, secondsAgo = 1) => {
      const until = [`clock_timestamp() - $2 * interval '1 second'`, [id, secondsAgo]] as const;
      await sql(`UPDATE ledger.orders SET expires_at = ${until[0]} WHERE order_id = $1`, until[1]);
      await sql(
        'UPDATE ledger.order_lines AS l SET held_until = o.expires_at FROM ledger.orders AS o WHERE o.order_id = l.order_id AND o.order_id = $1',
        [id],
      );
    },
    violations: async () =>
      (await ledger.audit()).violations.map((found) => `${found.violation} ${JSON.stringify(found)}`),
    drop: async () => {
      await Promise.all([owner.close(), runtime.close()]);
      await database.drop();
    },
  };
}

/** A pool with room for races and slow machines. */
export function openPool(url: string, options: Partial<PoolOptions> = {}): PostgresPool {
  return createPool({
    url,
    max: 8,
    applicationName: 'test',
    connectTimeoutMs: 20_000,
    statementTimeoutMs: 60_000,
    lockTimeoutMs: 60_000,
    maxWaiting: 10_000,
    metrics: createMetrics(),
    logger: createLogger('test', 'silent'),
    ...options,
  });
}

/** Ten units, on sale, one an attendee, paid within 15 minutes. */
export function plainSku(): SkuToPut {
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
    rateLimit: { perSecond: 1_000_000, burst: 1_000_000 },
    onBusy: 'QUEUE',
    latePayment: 'RETAKE_IF_FREE',
    lateCancel: 'REFUSE',
    paused: false,
  };
}

/** What a sku that says nothing of it does with those who come when it is sold out. */
export const plainWaitlist = {
  onSoldOut: 'REFUSE',
  waitlist: { max: 100_000, order: 'STRICT', skips: 3, accept: 'AUTO' },
  waitlistPaused: false,
} as const;

/** A claim of one user: a new one unless a request id is given, for one unit for themselves unless lines are given. */
export function claimOf(
  userId: string,
  wanted: string | readonly OrderLine[],
  parts: Partial<ClaimToAdmit> = {},
): ClaimToAdmit {
  const storeId = parts.storeId ?? 'store-1';
  const requestId = parts.requestId ?? randomUUID();
  const lines = typeof wanted === 'string' ? [lineOf(wanted, userId)] : wanted;
  return { orderId: orderId(storeId, userId, requestId), storeId, userId, requestId, lines, record: true, ...parts };
}

/** One line of a claim. */
export function lineOf(skuId: string, attendeeId: string, quantity = 1): OrderLine {
  return { skuId, attendeeId, quantity };
}

/** The order of a decision that must be one. */
export function orderOf(decision: Decision): LedgerOrder {
  if (decision.kind !== 'ORDER') throw new Error(`no order: ${JSON.stringify(decision)}`);
  return decision.order;
}

/** The refusal of a decision that must be one. */
export function refusalOf(decision: Decision): Extract<Decision, { kind: 'REFUSED' }>['refusal'] {
  if (decision.kind !== 'REFUSED') throw new Error(`no refusal: ${JSON.stringify(decision)}`);
  return decision.refusal;
}

/** The one item of a list that must have one. */
export function only<Item>(items: readonly Item[]): Item {
  const [item, ...rest] = items;
  if (item === undefined || rest.length > 0) throw new Error(`one item expected: ${JSON.stringify(items)}`);
  return item;
}
