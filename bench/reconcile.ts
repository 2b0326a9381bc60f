import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Client as PostgresClient } from 'pg';
import { type Plan, ReconcileServiceDefinition } from '#libs/contracts/gen/holdfast/control/v1/reconcile_service.js';
import { sqlFile } from '#libs/postgres/statement.js';
import { type Client, connect } from '#libs/rpc/client.js';
import type { Mesh } from '../deploy/local/mesh.js';
import { type BenchMesh, startBenchMesh, storeId } from './drivers/bench-mesh.js';
import { driveStreams } from './drivers/drive.js';
import { freshTag } from './drivers/fresh-tag.js';
import type { LedgerWitness } from './drivers/ledger-witness.js';
import type { ClosedPlan, StreamJob, StreamResult } from './drivers/stream-driver.js';
import type { Arm, ArmRun, Benchmark, BenchmarkContext, OpenBenchmark } from './frame/benchmark.js';

const pastOrders = sqlFile(new URL('./sql/past_orders.sql', import.meta.url));
const inFlight = 256;
const deadlineMs = 5_000;
const lookDeadlineMs = 600_000;
const beside = 'sales beside a look';

type Job = StreamJob & { load: ClosedPlan };

/** What looking at everything costs whoever sells meanwhile, and how long it takes. */
export const reconcile: Benchmark = {
  id: 'reconcile',
  title: 'sales while everything is looked at, against sales alone; 100,000 orders over 1,000 skus lie there',
  unit: 'orders/s',
  gate: 0.8,
  goal: 0.9,
  bounds: [
    { arm: beside, counter: 'look_s', gate: { atMost: 30 }, goal: { atMost: 15 } },
    { arm: beside, counter: 'peak_rss_mb', gate: { atMost: 300 }, goal: { atMost: 250 } },
  ],
  open,
};

async function open(context: BenchmarkContext): Promise<OpenBenchmark> {
  const { quick, life, progress } = context;
  const bench = await startBenchMesh(context);
  const { mesh, witness } = bench;
  for (const job of ['reconcile', 'reconcile-ended']) await witness.ledger.jobSetPaused(job, true, 'measured by hand');
  progress('filling the ledger');
  await fill(mesh.servers.urls.postgres, quick ? { skus: 100, orders: 10_000 } : { skus: 1_000, orders: 100_000 });
  const looks = connect(ReconcileServiceDefinition, inventoryOf(mesh).grpc, { defaultDeadlineMs: lookDeadlineMs });
  life.closer('looks', () => looks.close());

  const load = { inFlight, ...(quick ? { warmUp: 1_000, items: 3_000 } : { warmUp: 2_000, items: 10_000 }) };
  const sale = (name: string, look?: () => Promise<Look>): Arm => ({
    name,
    run: async () => sell(witness, await newSale(bench, load), look),
  });
  const look = (): Promise<Look> => lookOnce(looks, inventoryOf(mesh).pid);
  return { a: sale(beside, look), b: sale('sales alone'), reported: [] };
}

/** One look at everything. */
interface Look {
  plan: Plan | undefined;
  seconds: number;
  peakMb: number;
}

async function lookOnce(looks: Client<typeof ReconcileServiceDefinition>, pid: number): Promise<Look> {
  const begun = performance.now();
  const { plan } = await looks.planReconcile({ skuIds: [], endedOnly: false, requestId: randomUUID() });
  return { plan, seconds: (performance.now() - begun) / 1_000, peakMb: peakMbOf(pid) };
}

/** Looks go on one after the other until the sale is over; without `look` it is alone. */
async function sell(witness: LedgerWitness, job: Job, look?: () => Promise<Look>): Promise<ArmRun> {
  let isOver = false;
  const looking = (async () => {
    const made: Look[] = [];
    while (look && !isOver) made.push(await look());
    return made;
  })();
  // Whoever awaits it hears of it, unless the sale itself has failed before.
  looking.catch(() => undefined);
  const result = await driveStreams(job).finally(() => {
    isOver = true;
  });
  const looks = await looking;
  const [stretch] = result.phases;
  const { served = 0, fromMs = 0, toMs = 0, servedP50Ms = 0, servedP99Ms = 0 } = stretch ?? {};
  const longest = looks.reduce((most, { seconds }) => Math.max(most, seconds), 0);
  const peak = looks.reduce((most, { peakMb }) => Math.max(most, peakMb), 0);
  const found = looks.filter(({ plan }) => plan?.findingsCount !== 0).map(() => 'a look found something');
  return {
    items: served,
    durationMs: toMs - fromMs,
    counters: {
      ...{ p50_ms: servedP50Ms, p99_ms: servedP99Ms, driver_busy_share: result.busyShare },
      ...(look && { look_s: longest, looked_orders: looks.at(-1)?.plan?.orders ?? 0, peak_rss_mb: peak }),
    },
    violations: [...unexpected(result), ...found, ...(await witness.violations(job.skuIds, requestsOf(job)))],
  };
}

async function fill(databaseUrl: string, { skus, orders }: { skus: number; orders: number }): Promise<void> {
  const client = new PostgresClient({ connectionString: databaseUrl });
  await client.connect();
  await client.query(pastOrders.text, [storeId, skus, orders]);
  await client.query('VACUUM ANALYZE');
  await client.end();
}

async function newSale({ mesh, putSkus }: BenchMesh, load: ClosedPlan): Promise<Job> {
  const tag = freshTag();
  const skuId = `hot-${tag}`;
  await putSkus([skuId], load.items + load.warmUp);
  return { addresses: [mesh.describe().gateway], storeId, skuIds: [skuId], tag, deadlineMs, load };
}

function inventoryOf(mesh: Mesh): { grpc: string; pid: number } {
  const [only] = mesh.describe().services.inventory ?? [];
  if (!only) throw new Error('the mesh has no inventory');
  return { grpc: only.grpc ?? '', pid: only.pid };
}

/** The most memory that a process ever had; not a number where there is no /proc. */
function peakMbOf(pid: number): number {
  try {
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;
  } catch {
    return Number.NaN;
  }
}

function requestsOf({ load }: Job): number {
  return load.warmUp + load.items;
}

/** There is a unit for everybody. */
function unexpected({ phases }: StreamResult): string[] {
  return phases
    .flatMap(({ outcomes }) => Object.entries(outcomes))
    .filter(([outcome]) => !['HELD', 'PENDING'].includes(outcome))
    .map(([outcome, count]) => `${count} reservations ended with ${outcome}`);
}
