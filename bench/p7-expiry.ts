import { Pool } from 'pg';
import { expireJob } from '../services/scheduler/src/app/jobs.js';
import { expireOneByOne } from './baselines/expire-one-by-one.js';
import { DueHolds } from './drivers/due-holds.js';
import type { LedgerCopies } from './drivers/ledger-copies.js';
import { LedgerWitness } from './drivers/ledger-witness.js';
import { meterCpu } from './drivers/process-cpu.js';
import type { Arm, ArmRun, Benchmark, BenchmarkContext, OpenBenchmark } from './frame/benchmark.js';

const storeId = 'bench';
const manySkus = 1_000;
/** A scheduler whose run takes long is joined by another one. */
const schedulers = 2;
const concurrency = 16;

/** How an arm differs from another. */
interface Way {
  name: string;
  skus: number;
  holds: number;
  /** Resolves when none is left. */
  expire(databaseUrl: string, witness: LedgerWitness): Promise<unknown>;
}

/** How fast holds end that nobody paid for in time. */
export const expiry: Benchmark = {
  id: 'P7a',
  title: `50,000 holds of one sku that end at once, against one transaction a hold, ${concurrency} at a time`,
  unit: 'holds/s',
  gate: 6,
  goal: 20,
  open,
};

async function open(context: BenchmarkContext): Promise<OpenBenchmark> {
  const copies = await context.shared.ledgerCopies();
  const ours = { holds: context.quick ? 5_000 : 50_000, expire: expireByJob };
  const rival = { holds: context.quick ? 1_000 : 4_000, expire: expireEach };
  const armOf = (way: Way): Arm => ({ name: way.name, run: () => expireOnce(copies, way) });
  return {
    a: armOf({ ...ours, name: 'the job of the schedulers', skus: 1 }),
    b: armOf({ ...rival, name: 'one by one', skus: 1 }),
    reported: [
      armOf({ ...ours, name: 'the job, spread over 1,000 skus', skus: manySkus }),
      armOf({ ...rival, name: 'one by one, spread over 1,000 skus', skus: manySkus }),
    ],
  };
}

async function expireByJob(_databaseUrl: string, { ledger }: LedgerWitness): Promise<void> {
  const order = { expireDue: ({ batchSize }: { batchSize: number }) => ledger.ordersExpire(batchSize) };
  const job = expireJob(order, () => new Date());
  const { signal } = new AbortController();
  await Promise.all(Array.from({ length: schedulers }, () => job.run(signal)));
}

async function expireEach(connectionString: string): Promise<void> {
  const pool = new Pool({ connectionString, max: concurrency });
  try {
    await expireOneByOne(pool, concurrency);
  } finally {
    await pool.end();
  }
}

async function expireOnce(copies: LedgerCopies, { skus, holds, expire }: Way): Promise<ArmRun> {
  const closers: (() => Promise<void>)[] = [];
  try {
    const databaseUrl = await copies.make();
    closers.push(() => copies.drop(databaseUrl));
    const witness = new LedgerWitness(databaseUrl);
    closers.push(() => witness.close());
    const dueHolds = await DueHolds.open(databaseUrl, 'due-');
    closers.push(() => dueHolds.close());
    await dueHolds.fill({ storeId, skus, holds, endAt: new Date() });
    const cpu = meterCpu({ callers: process.pid, postgres: copies.postgresPid });
    const begun = performance.now();
    await expire(databaseUrl, witness);
    const durationMs = performance.now() - begun;
    const counters = cpu(holds);
    const violations = [...(await dueHolds.violations(holds)), ...(await witness.audited())];
    return { items: holds, durationMs, counters, violations };
  } finally {
    for (let close = closers.pop(); close; close = closers.pop()) await close();
  }
}
