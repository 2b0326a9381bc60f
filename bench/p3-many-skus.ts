import { Client } from 'pg';
import { sqlFile } from '#libs/postgres/statement.js';
import { type BenchMesh, startBenchMesh, storeId } from './drivers/bench-mesh.js';
import { driveStreams } from './drivers/drive.js';
import { freshTag } from './drivers/fresh-tag.js';
import { meterMesh } from './drivers/mesh-meter.js';
import { zipf } from './drivers/zipf.js';
import type { Arm, ArmRun, Benchmark, BenchmarkContext, OpenBenchmark } from './frame/benchmark.js';
import { idleCores } from './growth/mesh-cost.js';

const idleSkus = sqlFile(new URL('./sql/idle_skus.sql', import.meta.url));
const inFlight = 256;
const deadlineMs = 5_000;
/** More than any run can sell. */
const capacity = 1_000_000;
const seed = 20_261;
const filledAtOnce = 100_000;
const besideIdle = 'beside idle skus';
const sizes = {
  full: { skus: 10_000, idle: 1_000_000, warmUp: 4_000, items: 20_000 },
  quick: { skus: 1_000, idle: 20_000, warmUp: 1_000, items: 4_000 },
};

/** What is left when a crowd does not want one thing but a few much and many a little. */
export const spreadByZipf: Benchmark = {
  id: 'P3a',
  title: `orders over 10,000 skus, the n-th wanted 1/n as often as the first, against one sku, ${inFlight} in flight`,
  unit: 'orders/s',
  sharesMesh: true,
  gate: 0.7,
  goal: 0.9,
  open: async ({ quick, shared, progress }) => {
    const { skus, warmUp, items } = quick ? sizes.quick : sizes.full;
    const bench = await shared.mesh();
    progress('putting skus on sale');
    const tag = freshTag();
    const skuIds = Array.from({ length: skus }, (_, n) => `zipf-${tag}-${n}`);
    await bench.putSkus(skuIds, capacity);
    const wanted = zipf(skus, warmUp + items, seed).map((n) => skuIds[n] ?? '');
    return { a: saleArm('zipf', bench, wanted, { warmUp, items }), b: hotArm(bench, { warmUp, items }), reported: [] };
  },
};

/** What skus cost that nobody wants today. */
export const idleSkusBeside: Benchmark = {
  id: 'P3b',
  title: 'orders over ten skus beside 1,000,000 that nobody asks for, against a mesh without those',
  unit: 'orders/s',
  sharesMesh: true,
  gate: 0.95,
  goal: 0.98,
  bounds: [{ arm: besideIdle, counter: 'idle_cores', goal: { atMost: 0.01 } }],
  open: openBesideIdle,
};

async function openBesideIdle(context: BenchmarkContext): Promise<OpenBenchmark> {
  const { idle, warmUp, items } = context.quick ? sizes.quick : sizes.full;
  const [full, plain] = [await startBenchMesh(context), await context.shared.mesh()];
  context.progress('putting skus into the ledger that nobody asks for');
  const client = new Client({ connectionString: full.mesh.servers.urls.postgres });
  await client.connect();
  for (let from = 0; from < idle; from += filledAtOnce) {
    await client.query(idleSkus.text, [from, Math.min(idle, from + filledAtOnce) - 1]);
  }
  // Of these tables alone: a look at orders while there are none would plan for none.
  await client.query('VACUUM ANALYZE ledger.skus, ledger.stock, ledger.stock_changes');
  await client.end();
  const ten = async (bench: BenchMesh, name: string): Promise<Arm> => {
    const tag = freshTag();
    const skuIds = Array.from({ length: 10 }, (_, n) => `ten-${tag}-${n}`);
    await bench.putSkus(skuIds, capacity);
    return idleFirst(bench, saleArm(name, bench, skuIds, { warmUp, items }));
  };
  return { a: await ten(full, besideIdle), b: await ten(plain, 'without'), reported: [] };
}

/** The arm, after a look at what the mesh does while nobody comes. */
function idleFirst(bench: BenchMesh, arm: Arm): Arm {
  return {
    ...arm,
    run: async () => {
      const idle = await idleCores(bench.mesh.describe());
      const run = await arm.run();
      return { ...run, counters: { ...run.counters, idle_cores: idle } };
    },
  };
}

interface Load {
  warmUp: number;
  items: number;
}

function hotArm(bench: BenchMesh, load: Load): Arm {
  return {
    name: 'one sku',
    run: async () => {
      const skuId = `hot-${freshTag()}`;
      await bench.putSkus([skuId], capacity);
      return sell(bench, [skuId], load, load.warmUp + load.items);
    },
  };
}

/** The same skus in every run: what they have sold is what all runs have. */
function saleArm(name: string, bench: BenchMesh, wanted: readonly string[], load: Load): Arm {
  let held = 0;
  return {
    name,
    run: async () => {
      held += load.warmUp + load.items;
      return sell(bench, wanted, load, held);
    },
  };
}

async function sell(
  { mesh, witness }: BenchMesh,
  wanted: readonly string[],
  load: Load,
  held: number,
): Promise<ArmRun> {
  const meter = await meterMesh(mesh.describe());
  const wish = { addresses: [mesh.describe().gateway], storeId, skuIds: [...wanted], tag: freshTag(), deadlineMs };
  const { phases, busyShare } = await driveStreams({ ...wish, load: { inFlight, ...load } });
  const counters = await meter(load.warmUp + load.items);
  const [stretch] = phases;
  if (stretch === undefined) throw new Error('the driver reported nothing');
  const { served, fromMs, toMs, servedP50Ms: p50Ms, servedP99Ms: p99Ms } = stretch;
  return {
    items: served,
    durationMs: toMs - fromMs,
    counters: { p50_ms: p50Ms, p99_ms: p99Ms, driver_busy_share: busyShare, ...counters },
    violations: await witness.violations([...new Set(wanted)], held),
  };
}
