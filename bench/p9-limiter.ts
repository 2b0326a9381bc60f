import { OnBusy } from '#libs/contracts/gen/holdfast/inventory/v1/sku.js';
import { type BenchMesh, startBenchMesh, storeId } from './drivers/bench-mesh.js';
import { driveStreams } from './drivers/drive.js';
import { freshTag } from './drivers/fresh-tag.js';
import { meterMesh } from './drivers/mesh-meter.js';
import type { Stretch } from './drivers/open-loop.js';
import { meterCpu } from './drivers/process-cpu.js';
import type { StreamResult } from './drivers/stream-driver.js';
import { startUnlimitedGateway } from './drivers/unlimited-gateway.js';
import type { Arm, ArmRun, Benchmark, BenchmarkContext, OpenBenchmark } from './frame/benchmark.js';

const deadlineMs = 5_000;
const inFlight = 256;
const tightLimit = { perSecond: 500, burst: 500 };
const overloadFactor = 3;
const gateways = 3;
const threeGateways = 'three gateways, three times the limit';

/** What asking for a token costs whoever gets one, and how exactly the limit is kept. */
export const limiter: Benchmark = {
  id: 'P9',
  title: 'reservations that pay a token of their sku and of their user each, against none',
  unit: 'orders/s',
  gate: 0.9,
  goal: 0.98,
  bounds: [
    // What was let through lies between what the limit lets through until the last request was sent, and until it was
    // answered. One token may be under way then.
    { arm: threeGateways, counter: 'admitted_by_limit_when_sent', gate: { atLeast: 0.995 }, goal: { atLeast: 0.995 } },
    { arm: threeGateways, counter: 'admitted_by_limit_when_answered', gate: { atMost: 1.05 }, goal: { atMost: 1 } },
  ],
  open,
};

async function open(context: BenchmarkContext): Promise<OpenBenchmark> {
  const { life, quick } = context;
  const bench = await startBenchMesh(context, { scale: { gateway: gateways } });
  const described = bench.mesh.describe();
  const unlimited = await startUnlimitedGateway(described);
  life.closer('unlimited gateway', () => unlimited.stop());
  const load = quick ? { warmUp: 2_000, items: 5_000 } : { warmUp: 5_000, items: 20_000 };
  const limited = described.services.gateway ?? [];
  const addresses = limited.flatMap(({ grpc }) => grpc ?? []);
  return {
    a: paid('limits on', { bench, address: addresses[0] ?? '', pid: limited[0]?.pid, load }),
    b: paid('limits off', { bench, address: unlimited.address, pid: unlimited.pid, load }),
    reported: [threeTimesTheLimit({ bench, addresses, ms: quick ? 2_000 : 6_000 })],
  };
}

interface PaidOptions {
  bench: BenchMesh;
  address: string;
  pid: number | undefined;
  load: { warmUp: number; items: number };
}

/** A unit for everybody, as fast as they are served. */
function paid(name: string, { bench, address, pid, load }: PaidOptions): Arm {
  return {
    name,
    run: async () => {
      const capacity = load.warmUp + load.items;
      // Nobody is refused by the limit, and everybody has to ask.
      const skuId = `hot-${freshTag()}`;
      await bench.putSkus([skuId], capacity);
      const meter = await meterMesh(bench.mesh.describe());
      const cpu = meterCpu({ gateway: pid });
      const wish = { addresses: [address], storeId, skuIds: [skuId], tag: skuId, deadlineMs };
      const result = await driveStreams({ ...wish, load: { inFlight, ...load } });
      const counters = { ...(await meter(capacity)), ...cpu(capacity) };
      const [stretch] = result.phases;
      const violations = [...unexpected(stretch, []), ...(await bench.witness.violations([skuId], capacity))];
      return runOf(result, stretch, counters, violations);
    },
  };
}

interface TightOptions {
  bench: BenchMesh;
  addresses: string[];
  ms: number;
}

/** Every gateway lets some of the crowd through; together they let through what the limit says. */
function threeTimesTheLimit({ bench, addresses, ms }: TightOptions): Arm {
  const { perSecond, burst } = tightLimit;
  return {
    name: threeGateways,
    run: async () => {
      const phases = [{ perSecond: perSecond * overloadFactor, ms }];
      const skuId = `hot-${freshTag()}`;
      await bench.putSkus([skuId], (perSecond * overloadFactor * ms) / 1000, { rateLimit: tightLimit });
      const wish = { addresses, storeId, skuIds: [skuId], tag: skuId, deadlineMs, onBusy: OnBusy.ON_BUSY_FAIL };
      const result = await driveStreams({ ...wish, load: { phases, windowMs: 1_000 } });
      const [stretch] = result.phases;
      const admitted = stretch?.served ?? 0;
      const share = (untilMs: number): number => admitted / (burst + (perSecond * untilMs) / 1000);
      const counters = {
        admitted_by_limit_when_sent: share(ms),
        admitted_by_limit_when_answered: share(stretch?.lastAnswerMs ?? 0),
      };
      const violations = [...unexpected(stretch, ['status 8']), ...(await bench.witness.violations([skuId], admitted))];
      return runOf(result, stretch, counters, violations);
    },
  };
}

function runOf(
  { busyShare }: StreamResult,
  stretch: Stretch | undefined,
  counters: Record<string, number>,
  violations: string[],
): ArmRun {
  const { served = 0, fromMs = 0, toMs = 0, servedP50Ms = 0, servedP99Ms = 0 } = stretch ?? {};
  return {
    items: served,
    durationMs: toMs - fromMs,
    counters: { p50_ms: servedP50Ms, p99_ms: servedP99Ms, driver_busy_share: busyShare, ...counters },
    violations,
  };
}

function unexpected(stretch: Stretch | undefined, allowed: string[]): string[] {
  return Object.entries(stretch?.outcomes ?? {})
    .filter(([outcome]) => !['HELD', 'PENDING', ...allowed].includes(outcome))
    .map(([outcome, count]) => `${count} reservations ended with ${outcome}`);
}
