import { type BenchMesh, storeId } from './drivers/bench-mesh.js';
import { driveStreams } from './drivers/drive.js';
import { freshTag } from './drivers/fresh-tag.js';
import { meterMesh } from './drivers/mesh-meter.js';
import type { ClosedPlan, StreamJob, StreamResult } from './drivers/stream-driver.js';
import type { Arm, Benchmark, BenchmarkContext, OpenBenchmark } from './frame/benchmark.js';

const inFlight = 256;
const deadlineMs = 5_000;

type Job = StreamJob & { load: ClosedPlan };

/** What a crowd that presses the button twice costs: the same requests again, within the time for which answers are kept ready. */
export const replays: Benchmark = {
  id: 'P8',
  title: 'the same reservations sent a second time, against the first time, 256 in flight on one sku',
  unit: 'answers/s',
  sharesMesh: true,
  gate: 1.3,
  goal: 2,
  bounds: [
    { arm: 'second time', counter: 'pg_transactions_per_item', gate: { atMost: 0 }, goal: { atMost: 0 } },
    { arm: 'second time', counter: 'redis_calls_per_item', goal: { atMost: 0.1 } },
  ],
  open,
};

async function open({ quick, shared }: BenchmarkContext): Promise<OpenBenchmark> {
  const bench = await shared.mesh();
  const load = { inFlight, ...(quick ? { warmUp: 1_000, items: 3_000 } : { warmUp: 5_000, items: 20_000 }) };
  return { a: secondTime(bench, load), b: firstTime(bench, load), reported: [] };
}

/** A sku with a unit for everybody, and the requests for it: always the same ones for the same job. */
async function newSale({ mesh, putSkus }: BenchMesh, load: ClosedPlan): Promise<Job> {
  const tag = freshTag();
  const skuId = `hot-${tag}`;
  await putSkus([skuId], load.items + load.warmUp);
  return { addresses: [mesh.describe().gateway], storeId, skuIds: [skuId], tag, deadlineMs, load };
}

function firstTime(bench: BenchMesh, load: ClosedPlan): Arm {
  return {
    name: 'first time',
    run: async () => measured(bench, await newSale(bench, load)),
  };
}

function secondTime(bench: BenchMesh, load: ClosedPlan): Arm {
  return {
    name: 'second time',
    run: async () => {
      const job = await newSale(bench, load);
      const first = await driveStreams(job);
      // All is committed and settled, so that what follows is the replays' own.
      const before = [...unexpected(first), ...(await bench.witness.violations(job.skuIds, requestsOf(job)))];
      const run = await measured(bench, job);
      return { ...run, violations: [...before, ...run.violations] };
    },
  };
}

async function measured({ mesh, witness }: BenchMesh, job: Job) {
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
