import { join } from 'node:path';
import { importSkus } from '../deploy/local/import-skus.js';
import { type Mesh, startMesh } from '../deploy/local/mesh.js';
import { drive } from './drivers/drive.js';
import type { DriveJob, DriveResult } from './drivers/grpc-driver.js';
import { LedgerWitness } from './drivers/ledger-witness.js';
import { meterMesh } from './drivers/mesh-meter.js';
import { reserveMethod } from './drivers/reserve-method.js';
import type { Arm, Benchmark, BenchmarkContext, OpenBenchmark } from './frame/benchmark.js';

const storeId = 'bench';
const noRateLimit = { perSecond: 1_000_000, burst: 1_000_000 };
const inFlight = 256;
const deadlineMs = 5_000;

interface Load {
  requests: number;
  warmUp: number;
}

/** What a crowd that presses the button twice costs: the same requests again, within the time for which answers are kept ready. */
export const replays: Benchmark = {
  id: 'P8',
  title: 'the same reservations sent a second time, against the first time, 256 in flight on one sku',
  unit: 'calls/s',
  gate: 1.3,
  goal: 2,
  bounds: [
    { arm: 'second time', counter: 'pg_transactions_per_item', gate: { atMost: 0 }, goal: { atMost: 0 } },
    { arm: 'second time', counter: 'redis_calls_per_item', goal: { atMost: 0.1 } },
  ],
  open,
};

async function open(context: BenchmarkContext): Promise<OpenBenchmark> {
  const { life, quick } = context;
  const directory = join(context.directory, 'mesh');
  const mesh = await startMesh({ directory, env: { LOG_LEVEL: 'warn' }, report: context.progress });
  life.closer('mesh', () => mesh.stop());
  const witness = new LedgerWitness(mesh.servers.urls.postgres);
  life.closer('witness', () => witness.close());
  const load = quick ? { requests: 4_000, warmUp: 2_000 } : { requests: 16_000, warmUp: 4_000 };
  let runs = 0;
  const nextJob = async (): Promise<DriveJob> => {
    runs += 1;
    return newSale(mesh, `r${runs}`, load);
  };
  return { a: secondTime(mesh, witness, nextJob), b: firstTime(mesh, witness, nextJob), reported: [] };
}

/** A sku with a unit for everybody, and the requests for it: always the same ones for the same job. */
async function newSale(mesh: Mesh, tag: string, load: Load): Promise<DriveJob> {
  const skuId = `hot-${tag}`;
  const { services, gateway } = mesh.describe();
  const capacity = load.requests + load.warmUp;
  await importSkus(services.inventory?.[0]?.grpc ?? '', [
    { skuId, storeId, title: skuId, capacity, priceMinor: 1500, rateLimit: noRateLimit },
  ]);
  return { address: gateway, path: reserveMethod.path, storeId, skuId, tag, inFlight, deadlineMs, ...load };
}

function firstTime(mesh: Mesh, witness: LedgerWitness, nextJob: () => Promise<DriveJob>): Arm {
  return {
    name: 'first time',
    run: async () => measured(mesh, witness, await nextJob()),
  };
}

function secondTime(mesh: Mesh, witness: LedgerWitness, nextJob: () => Promise<DriveJob>): Arm {
  return {
    name: 'second time',
    run: async () => {
      const job = await nextJob();
      const first = await drive(job);
      // All is committed and settled, so that what follows is the replays' own.
      const before = [...unexpected(first), ...(await witness.violations([job.skuId], job.requests + job.warmUp))];
      const run = await measured(mesh, witness, job);
      return { ...run, violations: [...before, ...run.violations] };
    },
  };
}

async function measured(mesh: Mesh, witness: LedgerWitness, job: DriveJob) {
  const meter = await meterMesh(mesh.describe());
  const result = await drive(job);
  const counters = await meter(job.requests + job.warmUp);
  const { durationMs, p50Ms, p99Ms, busyShare } = result;
  return {
    items: job.requests,
    durationMs,
    counters: { p50_ms: p50Ms, p99_ms: p99Ms, driver_busy_share: busyShare, ...counters },
    // Each request is one order, however often it was sent.
    violations: [...unexpected(result), ...(await witness.violations([job.skuId], job.requests + job.warmUp))],
  };
}

/** There is a unit for everybody. */
function unexpected({ outcomes }: DriveResult): string[] {
  return Object.entries(outcomes)
    .filter(([outcome]) => !['HELD', 'PENDING'].includes(outcome))
    .map(([outcome, count]) => `${count} calls ended with ${outcome}`);
}
