import { importSkus } from '../deploy/local/import-skus.js';
import type { Mesh } from '../deploy/local/mesh.js';
import { startBenchMesh } from './drivers/bench-mesh.js';
import { driveStreams } from './drivers/drive.js';
import type { LedgerWitness } from './drivers/ledger-witness.js';
import { meterMesh } from './drivers/mesh-meter.js';
import type { ClosedPlan, StreamJob, StreamResult } from './drivers/stream-driver.js';
import type { Arm, Benchmark, BenchmarkContext, OpenBenchmark } from './frame/benchmark.js';

const storeId = 'bench';
const noRateLimit = { perSecond: 1_000_000, burst: 1_000_000 };
const inFlight = 256;
const deadlineMs = 5_000;

type Job = StreamJob & { load: ClosedPlan };

/** What a crowd that presses the button twice costs: the same requests again, within the time for which answers are kept ready. */
export const replays: Benchmark = {
  id: 'P8',
  title: 'the same reservations sent a second time, against the first time, 256 in flight on one sku',
  unit: 'answers/s',
  gate: 1.3,
  goal: 2,
  bounds: [
    { arm: 'second time', counter: 'pg_transactions_per_item', gate: { atMost: 0 }, goal: { atMost: 0 } },
    { arm: 'second time', counter: 'redis_calls_per_item', goal: { atMost: 0.1 } },
  ],
  open,
};

async function open(context: BenchmarkContext): Promise<OpenBenchmark> {
  const { quick } = context;
  const { mesh, witness } = await startBenchMesh(context);
  const load = { inFlight, ...(quick ? { warmUp: 3_000, items: 5_000 } : { warmUp: 5_000, items: 20_000 }) };
  let runs = 0;
  const nextJob = async (): Promise<Job> => {
    runs += 1;
    return newSale(mesh, `r${runs}`, load);
  };
  return { a: secondTime(mesh, witness, nextJob), b: firstTime(mesh, witness, nextJob), reported: [] };
}

/** A sku with a unit for everybody, and the requests for it: always the same ones for the same job. */
async function newSale(mesh: Mesh, tag: string, load: ClosedPlan): Promise<Job> {
  const skuId = `hot-${tag}`;
  const { services, gateway } = mesh.describe();
  const capacity = load.items + load.warmUp;
  await importSkus(services.inventory?.[0]?.grpc ?? '', [
    { skuId, storeId, title: skuId, capacity, priceMinor: 1500, rateLimit: noRateLimit },
  ]);
  return { addresses: [gateway], storeId, skuIds: [skuId], tag, deadlineMs, load };
}

function firstTime(mesh: Mesh, witness: LedgerWitness, nextJob: () => Promise<Job>): Arm {
  return {
    name: 'first time',
    run: async () => measured(mesh, witness, await nextJob()),
  };
}

function secondTime(mesh: Mesh, witness: LedgerWitness, nextJob: () => Promise<Job>): Arm {
  return {
    name: 'second time',
    run: async () => {
      const job = await nextJob();
      const first = await driveStreams(job);
      // All is committed and settled, so that what follows is the replays' own.
      const before = [...unexpected(first), ...(await witness.violations(job.skuIds, requestsOf(job)))];
      const run = await measured(mesh, witness, job);
      return { ...run, violations: [...before, ...run.violations] };
    },
  };
}

async function measured(mesh: Mesh, witness: LedgerWitness, job: Job) {
  const meter = await meterMesh(mesh.describe());
  const result = await driveStreams(job);
  const counters = await meter(requestsOf(job));
  const [stretch] = result.phases;
  const { served = 0, fromMs = 0, toMs = 0, servedP50Ms = 0, servedP99Ms = 0 } = stretch ?? {};
  return {
    items: served,
    durationMs: toMs - fromMs,
    counters: { p50_ms: servedP50Ms, p99_ms: servedP99Ms, driver_busy_share: result.busyShare, ...counters },
    // Each request is one order, however often it was sent.
    violations: [...unexpected(result), ...(await witness.violations(job.skuIds, requestsOf(job)))],
  };
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
