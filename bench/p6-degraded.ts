import { Pool } from 'pg';
import type { Claim } from '#libs/contracts/gen/holdfast/event/v1/claim.js';
import { sellByVersion, sellForUpdate, sellUnderLock } from './baselines/hot-sku-rivals.js';
import { lockServer } from './baselines/lock-server.js';
import { insertOrder } from './baselines/order-transaction.js';
import type { Seller } from './baselines/ways-to-sell.js';
import { runCallers } from './drivers/callers.js';
import { claimOf } from './drivers/claims.js';
import { openDirectAdmission } from './drivers/direct-admission.js';
import type { LedgerCopies } from './drivers/ledger-copies.js';
import { LedgerWitness } from './drivers/ledger-witness.js';
import { meterCpu } from './drivers/process-cpu.js';
import type { Arm, ArmRun, Benchmark, BenchmarkContext } from './frame/benchmark.js';

const storeId = 'bench';
const callers = 256;
/** Of the first rival; of those that keep the stock locked for longer, for whom fewer are better. */
const connections = { many: 64, some: 20, few: 2 };
const orders = { ours: 20_000, rival: 2_000, slow: 800 };
/** Of each count, so many come before the clock starts. */
const warmUpShare = 0.2;
const quickShare = 0.25;

/** How an arm differs from another. */
interface Way {
  name: string;
  orders: number;
  open(databaseUrl: string): Seller;
}

const directAdmission: Way = { name: 'direct admission', orders: orders.ours, open: openDirectAdmission };

const conditionalUpdate = async (clients: Pool, claim: Claim): Promise<boolean> => {
  await insertOrder(clients, claim);
  return true;
};

/** What a hot sku still sells without Redis, by what others sell of it on Postgres. */
export const degraded: readonly Benchmark[] = [
  {
    ...{ id: 'P6a', gate: 6, goal: 12 },
    rival: 'a conditional update and inserts, pool of 64',
    open: () => pooled('conditional update', orders.rival, connections.many, conditionalUpdate),
  },
  {
    ...{ id: 'P6b', gate: 3, goal: 6 },
    rival: 'a conditional update and inserts, pool of 2',
    open: () => pooled('conditional update, pool of 2', orders.rival, connections.few, conditionalUpdate),
  },
  {
    ...{ id: 'P6c', gate: 6, goal: 12 },
    rival: 'SELECT FOR UPDATE',
    open: () => pooled('for update', orders.slow, connections.some, sellForUpdate),
  },
  {
    ...{ id: 'P6d', gate: 8, goal: 16 },
    rival: 'a version column and three retries',
    open: () => pooled('version column', orders.slow, connections.some, sellByVersion),
  },
  {
    ...{ id: 'P6e', gate: 10, goal: 20 },
    rival: 'a lock of the sku in Redis around SELECT FOR UPDATE',
    open: async (context: BenchmarkContext) => {
      const redis = await lockServer(context);
      const sell = (clients: Pool, claim: Claim) => sellUnderLock(redis, clients, claim);
      return pooled('lock in Redis', orders.slow, connections.some, sell);
    },
  },
].map(against);

function pooled(
  name: string,
  count: number,
  max: number,
  sell: (clients: Pool, claim: Claim) => Promise<boolean>,
): Way {
  const open = (connectionString: string): Seller => {
    const clients = new Pool({ connectionString, max });
    return { sell: (claim) => sell(clients, claim), close: () => clients.end() };
  };
  return { name, orders: count, open };
}

interface Rival {
  id: string;
  gate: number;
  goal: number;
  /** In words. */
  rival: string;
  open(context: BenchmarkContext): Way | Promise<Way>;
}

function against({ id, gate, goal, rival, open }: Rival): Benchmark {
  return {
    ...{ id, gate, goal, unit: 'orders/s' },
    title: `orders of one sku straight on the ledger, 256 callers, against ${rival}`,
    open: async (context) => {
      const copies = await context.shared.ledgerCopies();
      const armOf = (way: Way): Arm => ({ name: way.name, run: () => sellOnce(context, copies, way) });
      return { a: armOf(directAdmission), b: armOf(await open(context)), reported: [] };
    },
  };
}

async function sellOnce(context: BenchmarkContext, copies: LedgerCopies, way: Way): Promise<ArmRun> {
  const count = way.orders * (context.quick ? quickShare : 1);
  const warmUp = count * warmUpShare;
  const closers: (() => Promise<unknown>)[] = [];
  try {
    const databaseUrl = await copies.make();
    closers.push(() => copies.drop(databaseUrl));
    const witness = new LedgerWitness(databaseUrl);
    closers.push(() => witness.close());
    await witness.putSkus(storeId, ['hot'], count);
    await witness.putSkus(storeId, ['warm'], warmUp);
    const seller = way.open(databaseUrl);
    closers.push(() => seller.close());

    const ordersOf = (skuId: string) => (n: number) =>
      seller.sell(claimOf({ storeId, skuIds: [skuId], tag: skuId }, n));
    await runCallers(callers, warmUp, ordersOf('warm'));
    const cpu = meterCpu({ callers: process.pid, postgres: copies.postgresPid });
    const { durationMs, held, p50Ms, p99Ms } = await runCallers(callers, count, ordersOf('hot'));
    const spent = cpu(held);
    return {
      items: held,
      durationMs,
      counters: { p50_ms: p50Ms, p99_ms: p99Ms, given_up_share: (count - held) / count, ...spent },
      violations: await witness.violations(['hot'], held),
    };
  } finally {
    for (let close = closers.pop(); close; close = closers.pop()) await close();
  }
}
