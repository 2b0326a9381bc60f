import type { Scale, ServiceName } from '../../deploy/local/topology.js';
import { startBenchMesh } from '../drivers/bench-mesh.js';
import type { BenchmarkContext } from '../frame/benchmark.js';
import type { CurvePoint, MeasureCurve, MeasuredCurve } from './curve.js';
import { steadySale } from './sales.js';

const load = { full: { perSecond: 1_200, ms: 6_000 }, quick: { perSecond: 400, ms: 1_000 } };
const processes = { full: [1, 2, 3, 4], quick: [1, 2] };
const shards = { full: [1, 2, 4, 8], quick: [1, 8] };

/** More and more shards of one mesh, the same orders a second. */
export function shardsCurve(context: BenchmarkContext): Promise<MeasuredCurve> {
  const sizes = context.quick ? shards.quick : shards.full;
  return curveOfMeshes(context, 'shards', sizes, (size) => ({ env: { SHARDS: `${size}` } }));
}

/** More and more processes of one service, the same orders a second. */
export function processesCurve(service: ServiceName): MeasureCurve {
  return (context) => {
    const sizes = context.quick ? processes.quick : processes.full;
    return curveOfMeshes(context, `processes of ${service}`, sizes, (size) => ({ scale: { [service]: size } }));
  };
}

/** A mesh of its own for each size. On few cores more of something is no faster; what it costs is what is asked. */
async function curveOfMeshes(
  context: BenchmarkContext,
  of: string,
  sizes: readonly number[],
  optionsOf: (size: number) => { scale?: Scale; env?: Record<string, string> },
): Promise<MeasuredCurve> {
  const { perSecond, ms } = context.quick ? load.quick : load.full;
  const points: CurvePoint[] = [];
  const violations: string[] = [];
  for (const size of sizes) {
    context.progress(`${size} ${of}`);
    const bench = await startBenchMesh(context, { name: `${size}-${of.replaceAll(' ', '-')}`, ...optionsOf(size) });
    try {
      const sale = await steadySale(bench, perSecond, ms);
      points.push({ size, figures: sale.figures });
      violations.push(...sale.violations);
    } finally {
      await bench.stop();
    }
  }
  return { of: `${of}, ${perSecond} orders/s`, points, violations };
}
