import { startBenchMesh } from '../drivers/bench-mesh.js';
import { DueHolds } from '../drivers/due-holds.js';
import type { BenchmarkContext } from '../frame/benchmark.js';
import type { CurvePoint, MeasuredCurve } from './curve.js';
import { grownPoint } from './grown-point.js';

const storeId = 'past';
const sizes = { full: [1_000, 10_000, 100_000, 1_000_000], quick: [1_000, 10_000] };
const holdsOfSku = 100;
const filledAtOnce = 100_000;
const aDayMs = 86_400_000;

/** One mesh, and more and more orders in its ledger, each a hold that has not ended. */
export async function holdsCurve(context: BenchmarkContext): Promise<MeasuredCurve> {
  const bench = await startBenchMesh(context, { name: 'holds' });
  const { postgres } = bench.mesh.servers.urls;
  const points: CurvePoint[] = [];
  const violations: string[] = [];
  let live = 0;
  try {
    for (const size of context.quick ? sizes.quick : sizes.full) {
      context.progress(`${size} holds`);
      while (live < size) {
        const holds = Math.min(filledAtOnce, size - live);
        await fill(postgres, `past-${live}-`, holds);
        live += holds;
      }
      const grown = await grownPoint(bench, { size, skus: 1, quick: context.quick });
      points.push(grown.point);
      violations.push(...grown.violations);
      live += grown.orders;
    }
  } finally {
    await bench.stop();
  }
  return { of: 'holds', points, violations };
}

async function fill(postgres: string, tag: string, holds: number): Promise<void> {
  const due = await DueHolds.open(postgres, tag);
  try {
    await due.fill({ storeId, skus: holds / holdsOfSku, holds, endAt: new Date(Date.now() + aDayMs) });
  } finally {
    await due.close();
  }
}
