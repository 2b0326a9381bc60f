import { type Rival, startRival } from './baselines/start-rival.js';
import { type BenchMesh, storeId } from './drivers/bench-mesh.js';
import { drive } from './drivers/drive.js';
import { freshTag } from './drivers/fresh-tag.js';
import type { DriveResult } from './drivers/grpc-driver.js';
import { meterMesh } from './drivers/mesh-meter.js';
import { peopleCount } from './drivers/people.js';
import { meterCpu } from './drivers/process-cpu.js';
import { reserveMethod } from './drivers/reserve-method.js';
import type { Arm, ArmRun, Benchmark, BenchmarkContext, OpenBenchmark } from './frame/benchmark.js';

const { path } = reserveMethod;
const deadlineMs = 5_000;
/** Everybody has come once before the clock starts: what a person's first token costs, both arms have paid by then. */
const warmUp = peopleCount;

interface Load {
  inFlight: number;
  requests: number;
}

const crowd = 512;
const smallerCrowd = 256;

/** What a Reserve costs from the gateway's wire to the committed row and back, in units of the least it could cost. */
export const wholePath: Benchmark = {
  id: 'P13',
  title: "a mesh's Reserve, 512 in flight on one sku, against a bare grpc-js echo of the same messages",
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
  const reservations = quick ? 4_000 : 20_000;
  const echoes = 2 * reservations;
  return {
    a: meshArm('mesh', bench, { inFlight: crowd, requests: reservations }),
    b: echoArm('echo', echo, { inFlight: crowd, requests: echoes }),
    reported: [
      meshArm('mesh, 256 in flight', bench, { inFlight: smallerCrowd, requests: reservations }),
      echoArm('echo, 256 in flight', echo, { inFlight: smallerCrowd, requests: echoes }),
    ],
  };
}

function meshArm(name: string, { mesh, witness, putSkus }: BenchMesh, load: Load): Arm {
  return {
    name,
    run: async () => {
      const tag = freshTag();
      const skuId = `hot-${tag}`;
      const described = mesh.describe();
      const capacity = load.requests + warmUp;
      await putSkus([skuId], capacity);
      const meter = await meterMesh(described);
      const result = await drive({
        address: described.gateway,
        path,
        storeId,
        skuId,
        tag,
        deadlineMs,
        warmUp,
        ...load,
      });
      const counters = await meter(capacity);
      const violations = [...unexpected(result, ['HELD', 'PENDING']), ...(await witness.violations([skuId], capacity))];
      return runOf(load, result, { ...counters, pending: result.outcomes.PENDING ?? 0 }, violations);
    },
  };
}

function echoArm(name: string, { address, pid }: Rival, load: Load): Arm {
  return {
    name,
    run: async () => {
      const tag = freshTag();
      const cpu = meterCpu({ echo: pid });
      const result = await drive({ address, path, storeId, skuId: `hot-${tag}`, tag, deadlineMs, warmUp, ...load });
      return runOf(load, result, cpu(load.requests + warmUp), unexpected(result, ['HELD']));
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
