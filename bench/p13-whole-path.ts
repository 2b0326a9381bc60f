import { type Rival, startRival } from './baselines/start-rival.js';
import { type BenchMesh, storeId } from './drivers/bench-mesh.js';
import { drive } from './drivers/drive.js';
import { freshTag } from './drivers/fresh-tag.js';
import type { DriveResult } from './drivers/grpc-driver.js';
import { meterMesh } from './drivers/mesh-meter.js';
import { meterCpu } from './drivers/process-cpu.js';
import { reserveMethod } from './drivers/reserve-method.js';
import type { Arm, ArmRun, Benchmark, BenchmarkContext, OpenBenchmark } from './frame/benchmark.js';

const { path } = reserveMethod;
const inFlight = 256;
const deadlineMs = 5_000;

interface Load {
  requests: number;
  warmUp: number;
}

/** What a Reserve costs from the gateway's wire to the committed row and back, in units of the least it could cost. */
export const wholePath: Benchmark = {
  id: 'P13',
  title: "a mesh's Reserve, 256 in flight on one sku, against a bare grpc-js echo of the same messages",
  unit: 'calls/s',
  sharesMesh: true,
  gate: 0.3,
  goal: 0.6,
  open,
};

async function open({ life, quick, shared }: BenchmarkContext): Promise<OpenBenchmark> {
  const bench = await shared.mesh();
  const echo = await startRival('echo-server');
  life.closer('echo', () => echo.stop());
  return {
    a: meshArm(bench, quick ? { requests: 4_000, warmUp: 1_000 } : { requests: 20_000, warmUp: 4_000 }),
    b: echoArm(echo, quick ? { requests: 8_000, warmUp: 2_000 } : { requests: 40_000, warmUp: 4_000 }),
    reported: [],
  };
}

function meshArm({ mesh, witness, putSkus }: BenchMesh, load: Load): Arm {
  return {
    name: 'mesh',
    run: async () => {
      const tag = freshTag();
      const skuId = `hot-${tag}`;
      const described = mesh.describe();
      const capacity = load.requests + load.warmUp;
      await putSkus([skuId], capacity);
      const meter = await meterMesh(described);
      const result = await drive({
        address: described.gateway,
        path,
        storeId,
        skuId,
        tag,
        inFlight,
        deadlineMs,
        ...load,
      });
      const counters = await meter(capacity);
      const violations = [...unexpected(result, ['HELD', 'PENDING']), ...(await witness.violations([skuId], capacity))];
      return runOf(load, result, { ...counters, pending: result.outcomes.PENDING ?? 0 }, violations);
    },
  };
}

function echoArm({ address, pid }: Rival, load: Load): Arm {
  return {
    name: 'echo',
    run: async () => {
      const tag = freshTag();
      const cpu = meterCpu({ echo: pid });
      const result = await drive({ address, path, storeId, skuId: `hot-${tag}`, tag, inFlight, deadlineMs, ...load });
      return runOf(load, result, cpu(load.requests + load.warmUp), unexpected(result, ['HELD']));
    },
  };
}

function runOf(
  load: Load,
  { durationMs, p50Ms, p99Ms, busyShare }: DriveResult,
  counters: Record<string, number>,
  violations: string[],
): ArmRun {
  return {
    items: load.requests,
    durationMs,
    counters: { p50_ms: p50Ms, p99_ms: p99Ms, driver_busy_share: busyShare, ...counters },
    violations,
  };
}

/** There is a unit for everybody, so that every other answer is a wrong one. */
function unexpected({ outcomes }: DriveResult, expected: string[]): string[] {
  return Object.entries(outcomes)
    .filter(([outcome]) => !expected.includes(outcome))
    .map(([outcome, count]) => `${count} calls ended with ${outcome}`);
}
