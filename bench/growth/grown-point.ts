import type { BenchMesh } from '../drivers/bench-mesh.js';
import type { CurvePoint } from './curve.js';
import { idleCores, keptMb } from './mesh-cost.js';
import { fastSale } from './sales.js';

const sale = { full: { warmUp: 4_000, items: 10_000 }, quick: { warmUp: 1_000, items: 2_000 } };

/** What a mesh that has grown to a size does: nothing at first, and then a sale over so many skus. */
export async function grownPoint(
  bench: BenchMesh,
  { size, skus, quick }: { size: number; skus: number; quick: boolean },
): Promise<{ point: CurvePoint; orders: number; violations: string[] }> {
  const idle = await idleCores(bench.mesh.describe());
  const load = quick ? sale.quick : sale.full;
  const { figures, violations } = await fastSale(bench, skus, load);
  const kept = await keptMb(bench.mesh.describe());
  const point = {
    size,
    figures: {
      ...figures,
      'idle, % of a core': idle * 100,
      'MB in Redis': kept.redis,
      'MB of the ledger': kept.ledger,
      'MB of the largest process': kept.largestProcess,
    },
  };
  return { point, orders: load.warmUp + load.items, violations };
}
