import { Client } from 'pg';
import { orderId } from '#libs/contracts/order-id.js';
import type { ClaimToAdmit } from '#libs/ledger/claims-batch.js';
import { type Ledger, openLedger, RUNTIME_ROLE } from '#libs/ledger/ledger.js';
import { createPool, type PostgresPool } from '#libs/postgres/pool.js';
import { createLogger } from '#libs/runtime/logger.js';
import { createMetrics } from '#libs/runtime/metrics.js';
import { LedgerWitness } from '../../bench/drivers/ledger-witness.js';
import { migrateLedger } from '../local/migrate-ledger.js';
import type { Effort } from './effort.js';
import type { Meter } from './rounds.js';

const storeId = 'calibrate';
const skuId = 'hot';
/** As the order service admits: so many claims in a transaction, so many transactions in flight. */
const batchClaims = 500;
const turns = 2;
const database = 'calibrate_ledger';

/**
 * How many claims of one hot sku the ledger admits in a second: batches through claims_admit in a database of their own,
 * which nobody else reads.
 */
export async function ledgerMeter(postgresUrl: string, { runs, ledgerClaims }: Effort): Promise<Meter> {
  const admin = new Client({ connectionString: postgresUrl });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${database}`);
  const url = new URL(postgresUrl);
  url.pathname = `/${database}`;
  await migrateLedger(url.href, () => {});
  const witness = new LedgerWitness(url.href);
  await witness.putSkus(storeId, [skuId], ledgerClaims * (runs + 1));
  await witness.close();
  const pool = openPool(url.href);
  const ledger = openLedger(pool);
  return {
    name: 'ledger',
    async run(tag) {
      const work = batches(tag, ledgerClaims);
      const begun = performance.now();
      await admitAll(ledger, work);
      return ledgerClaims / ((performance.now() - begun) / 1_000);
    },
    async close() {
      await pool.close();
      await admin.query(`DROP DATABASE ${database} WITH (FORCE)`);
      await admin.end();
    },
  };
}

function openPool(url: string): PostgresPool {
  return createPool({
    url,
    max: turns,
    applicationName: 'calibrate',
    role: RUNTIME_ROLE,
    connectTimeoutMs: 5_000,
    statementTimeoutMs: 30_000,
    lockTimeoutMs: 30_000,
    maxWaiting: 100,
    logger: createLogger('calibrate', 'silent'),
    metrics: createMetrics(),
  });
}

async function admitAll(ledger: Ledger, work: ClaimToAdmit[][]): Promise<void> {
  const turn = async (): Promise<void> => {
    for (let batch = work.pop(); batch; batch = work.pop()) await ledger.claimsAdmit(batch);
  };
  await Promise.all(Array.from({ length: turns }, turn));
}

function batches(tag: string, claims: number): ClaimToAdmit[][] {
  return Array.from({ length: Math.ceil(claims / batchClaims) }, (_, batch) => {
    const from = batch * batchClaims;
    return Array.from({ length: Math.min(batchClaims, claims - from) }, (_, n) => claimOf(tag, from + n));
  });
}

function claimOf(tag: string, n: number): ClaimToAdmit {
  const [userId, requestId] = [`${tag}-u${n}`, `${tag}-r${n}`];
  const lines = [{ skuId, quantity: 1, attendeeId: userId }];
  return { orderId: orderId(storeId, userId, requestId), storeId, userId, requestId, lines, record: true };
}
