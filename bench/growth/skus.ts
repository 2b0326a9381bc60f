import { Client } from 'pg';
import { sqlFile } from '#libs/postgres/statement.js';
import { startBenchMesh } from '../drivers/bench-mesh.js';
import type { BenchmarkContext } from '../frame/benchmark.js';
import type { CurvePoint, MeasuredCurve } from './curve.js';
import { grownPoint } from './grown-point.js';

const idleSkus = sqlFile(new URL('../sql/idle_skus.sql', import.meta.url));
const sizes = { full: [1, 10, 1_000, 100_000, 1_000_000], quick: [1, 10, 1_000] };
/** More would measure how they are put on sale. */
const mostOnSale = 1_000;
const filledAtOnce = 100_000;

/** One mesh, and more and more skus in its ledger. Orders go to up to a thousand of them in turn. */
export async function skusCurve(context: BenchmarkContext): Promise<MeasuredCurve> {
  const bench = await startBenchMesh(context, { name: 'skus' });
  const client = new Client({ connectionString: bench.mesh.servers.urls.postgres });
  await client.connect();
  const points: CurvePoint[] = [];
  const violations: string[] = [];
  let inLedger = 0;
  try {
    for (const size of context.quick ? sizes.quick : sizes.full) {
      context.progress(`${size} skus`);
      for (; inLedger < size; inLedger = Math.min(size, inLedger + filledAtOnce)) {
        await client.query(idleSkus.text, [inLedger, Math.min(size, inLedger + filledAtOnce) - 1]);
      }
      await client.query('VACUUM ANALYZE');
      const grown = await grownPoint(bench, { size, skus: Math.min(size, mostOnSale), quick: context.quick });
      points.push(grown.point);
      violations.push(...grown.violations);
    }
  } finally {
    await client.end();
    await bench.stop();
  }
  return { of: 'skus', points, violations };
}
