import { increase, scrape, total } from '../deploy/rush/readings.js';
import { type BenchMesh, storeId } from './drivers/bench-mesh.js';
import { drive } from './drivers/drive.js';
import { freshTag } from './drivers/fresh-tag.js';
import { meterMesh } from './drivers/mesh-meter.js';
import { reserveMethod } from './drivers/reserve-method.js';
import { StockSwitch } from './drivers/stock-switch.js';
import type { Arm, ArmRun, Benchmark, BenchmarkContext, OpenBenchmark } from './frame/benchmark.js';

const inFlight = 256;
const deadlineMs = 5_000;
/** On a busy machine the gate is late for a few, who go round it. */
const leastShareOfPath = 0.95;

type Path = 'POSTGRES' | 'REDIS';
const named: Record<Path, string> = { POSTGRES: 'path POSTGRES', REDIS: 'path AUTO' };

/** What a mesh keeps of its speed when the stock path is switched to POSTGRES. */
export const postgresPath: Benchmark = {
  id: 'P6f',
  title: "a mesh's Reserve, 256 in flight on one sku, its stock path on POSTGRES against AUTO",
  unit: 'calls/s',
  sharesMesh: true,
  gate: 0.7,
  goal: 0.9,
  open,
};

async function open(context: BenchmarkContext): Promise<OpenBenchmark> {
  const bench = await context.shared.mesh();
  const stockSwitch = new StockSwitch(bench.mesh.describe());
  context.life.closer('switch', async () => {
    await stockSwitch.set('AUTO');
    stockSwitch.close();
  });
  const load = context.quick ? { requests: 4_000, warmUp: 1_000 } : { requests: 20_000, warmUp: 4_000 };
  const arm = (path: Path): Arm => ({
    name: named[path],
    run: async () => {
      await stockSwitch.set(path === 'REDIS' ? 'AUTO' : path);
      return reserve(bench, path, load);
    },
  });
  return { a: arm('POSTGRES'), b: arm('REDIS'), reported: [] };
}

async function reserve(
  { mesh, witness, putSkus }: BenchMesh,
  way: Path,
  load: { requests: number; warmUp: number },
): Promise<ArmRun> {
  const tag = freshTag();
  const skuId = `hot-${tag}`;
  const described = mesh.describe();
  const [inventory] = described.services.inventory ?? [];
  if (inventory === undefined) throw new Error('the mesh has no inventory');
  const capacity = load.requests + load.warmUp;
  await putSkus([skuId], capacity);
  const before = await scrape([inventory.admin]);
  const meter = await meterMesh(described);
  const { gateway: address } = described;
  const { path } = reserveMethod;
  const result = await drive({ address, path, storeId, skuId, tag, inFlight, deadlineMs, ...load });
  const counters = await meter(capacity);
  const grown = increase(before, await scrape([inventory.admin]));
  const share = total(grown, 'holdfast_path_total', (labels) => labels.path === way) / capacity;
  const unexpected = Object.entries(result.outcomes).filter(([outcome]) => !['HELD', 'PENDING'].includes(outcome));
  return {
    items: load.requests,
    durationMs: result.durationMs,
    counters: {
      ...{ p50_ms: result.p50Ms, p99_ms: result.p99Ms, driver_busy_share: result.busyShare },
      ...{ ...counters, path_share: share, pending: result.outcomes.PENDING ?? 0 },
    },
    violations: [
      ...(share < leastShareOfPath ? [`of the orders only ${(share * 100).toFixed(0)} % went by ${way}`] : []),
      ...unexpected.map(([outcome, count]) => `${count} calls ended with ${outcome}`),
      ...(await witness.violations([skuId], capacity)),
    ],
  };
}
