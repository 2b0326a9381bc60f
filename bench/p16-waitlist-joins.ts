import { Pool } from 'pg';
import type { Claim } from '#libs/contracts/gen/holdfast/event/v1/claim.js';
import { joinOneByOne } from './baselines/join-one-by-one.js';
import { runCallers } from './drivers/callers.js';
import { claimOf } from './drivers/claims.js';
import { openDirectAdmission } from './drivers/direct-admission.js';
import type { LedgerCopies } from './drivers/ledger-copies.js';
import { LedgerWitness } from './drivers/ledger-witness.js';
import { meterCpu } from './drivers/process-cpu.js';
import { LineWatcher, soldOut } from './drivers/waiting-line.js';
import type { Arm, ArmRun, Benchmark, BenchmarkContext, OpenBenchmark } from './frame/benchmark.js';

const storeId = 'bench';
const callers = 256;
const connections = 16;
/** Of each count, so many come before the clock starts. */
const warmUpShare = 0.2;
const quickShare = 0.1;

/** A way of joining that is open on one ledger. */
interface Door {
  /** False: there was no place. Rejects with what should not be. */
  join(claim: Claim): Promise<boolean>;
  close(): Promise<unknown>;
}

/** How an arm differs from another. */
interface Way {
  name: string;
  joins: number;
  open(databaseUrl: string): Door;
}

/** How fast a crowd gets places in line for a sku that is sold out. */
export const waitlistJoins: Benchmark = {
  id: 'P16a',
  title: `users who join the waitlist of one sku, ${callers} callers, against one transaction a join, pool of ${connections}`,
  unit: 'joins/s',
  gate: 8,
  goal: 16,
  open,
};

async function open(context: BenchmarkContext): Promise<OpenBenchmark> {
  const copies = await context.shared.ledgerCopies();
  const share = context.quick ? quickShare : 1;
  const armOf = (way: Way): Arm => ({ name: way.name, run: () => joinOnce(copies, way) });
  return {
    a: armOf({ name: 'direct admission', joins: 40_000 * share, open: openDirectAdmission }),
    b: armOf({ name: 'one by one', joins: 3_000 * share, open: openOneByOne }),
    reported: [],
  };
}

function openOneByOne(connectionString: string): Door {
  const pool = new Pool({ connectionString, max: connections });
  return { join: (claim) => joinOneByOne(pool, claim), close: () => pool.end() };
}

async function joinOnce(copies: LedgerCopies, { joins, open: openDoor }: Way): Promise<ArmRun> {
  const warmUp = joins * warmUpShare;
  const closers: (() => Promise<unknown>)[] = [];
  try {
    const databaseUrl = await copies.make();
    closers.push(() => copies.drop(databaseUrl));
    const witness = new LedgerWitness(databaseUrl);
    closers.push(() => witness.close());
    const watcher = await LineWatcher.open(databaseUrl);
    closers.push(() => watcher.close());
    for (const skuId of ['hot', 'warm']) await soldOut(witness, skuId, 1);
    const door = openDoor(databaseUrl);
    closers.push(() => door.close());

    const joinsOf = (skuId: string) => (n: number) => door.join(claimOf({ storeId, skuIds: [skuId], tag: skuId }, n));
    await runCallers(callers, warmUp, joinsOf('warm'));
    const cpu = meterCpu({ callers: process.pid, postgres: copies.postgresPid });
    const { durationMs, held: joined, p50Ms, p99Ms } = await runCallers(callers, joins, joinsOf('hot'));
    const counters = { p50_ms: p50Ms, p99_ms: p99Ms, ...cpu(joined) };
    const violations = [...(await watcher.violations('hot', joins)), ...(await witness.audited())];
    return { items: joined, durationMs, counters, violations };
  } finally {
    for (let close = closers.pop(); close; close = closers.pop()) await close();
  }
}
