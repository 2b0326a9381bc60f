import { type BenchMesh, startBenchMesh, storeId } from './drivers/bench-mesh.js';
import { driveStreams } from './drivers/drive.js';
import { freshTag } from './drivers/fresh-tag.js';
import type { Phase, Stretch } from './drivers/open-loop.js';
import type { StreamJob, StreamResult } from './drivers/stream-driver.js';
import type { Arm, ArmRun, Benchmark, BenchmarkContext, OpenBenchmark } from './frame/benchmark.js';

const skusOfRun = 16;
const deadlineMs = 3_000;
/** As calibration sets it: as much work as the mesh does in this time may be in flight; the rest waits so long at the gateway, or is refused. */
const inFlightSeconds = 0.15;
const shedAfterMs = 100;
const closedInFlight = 512;
const calmShare = 0.7;
const overloadFactor = 2;
const windowMs = 200;
/** A window counts as calm again when nobody is refused and its p99 is at most so many times the calm one. */
const recoveredFactor = 3;

/** What is measured at what size. */
interface Sizes {
  capacity: { warmUp: number; items: number };
  calmMs: number;
  overloadMs: number;
}

const full: Sizes = { capacity: { warmUp: 5_000, items: 20_000 }, calmMs: 4_000, overloadMs: 6_000 };
const small: Sizes = { capacity: { warmUp: 2_000, items: 5_000 }, calmMs: 1_500, overloadMs: 2_000 };

/** What is left of what a mesh can do when twice as many come, and what those who are served notice of it. */
export const overload: Benchmark = {
  id: 'P11',
  title: 'orders served while twice as many come as can be served, open loop, against the most that can be served',
  unit: 'orders/s',
  sharesMesh: true,
  gate: 0.9,
  goal: 0.95,
  bounds: [
    { arm: 'twice the load', counter: 'served_p99_ratio', gate: { atMost: 3 }, goal: { atMost: 2 } },
    { arm: 'twice the load', counter: 'recovery_ms', gate: { atMost: 2_000 }, goal: { atMost: 500 } },
  ],
  open,
};

async function open(context: BenchmarkContext): Promise<OpenBenchmark> {
  const sizes = context.quick ? small : full;
  const roomy = new MeshUnderLoad(await context.shared.mesh());
  context.progress('measuring how much it can take');
  if (!context.quick) await roomy.capacity(sizes); // Warms it up.
  const first = await roomy.capacity(sizes);
  await context.shared.stopMesh();
  let capacity = rateOfStretch(first.stretch);
  const maxInFlight = Math.max(closedInFlight, Math.round(capacity * inFlightSeconds));

  const env = { MAX_IN_FLIGHT: String(maxInFlight), SHED_AFTER_MS: String(shedAfterMs) };
  const mesh = new MeshUnderLoad(await startBenchMesh(context, { env }));
  await mesh.capacity(sizes);
  const atCapacity: Arm = {
    name: 'capacity',
    run: async () => {
      const { stretch, busyShare, violations } = await mesh.capacity(sizes);
      capacity = rateOfStretch(stretch);
      return { ...runOf(stretch, busyShare), violations };
    },
  };
  const overloaded: Arm = {
    name: 'twice the load',
    run: async () => {
      const run = await mesh.overload(capacity, sizes);
      return { ...run, counters: { ...run.counters, max_in_flight: maxInFlight } };
    },
  };
  return { a: overloaded, b: atCapacity, reported: [] };
}

/** A mesh and the loads it is put under. */
class MeshUnderLoad {
  constructor(private readonly bench: BenchMesh) {}

  /** As many as it serves when the next comes as soon as one is served. */
  async capacity({ capacity }: Sizes): Promise<{ stretch: Stretch; busyShare: number; violations: string[] }> {
    const job = await this.#job(capacity.warmUp + capacity.items);
    const { phases, busyShare } = await driveStreams({ ...job, load: { inFlight: closedInFlight, ...capacity } });
    const [stretch] = phases;
    if (stretch === undefined) throw new Error('the driver reported nothing');
    const violations = await this.#violations(job, [stretch], []);
    return { stretch, busyShare, violations };
  }

  /** A calm load, then twice what it can take, then the calm load again. */
  async overload(capacity: number, { calmMs, overloadMs }: Sizes): Promise<ArmRun> {
    const calm = { perSecond: capacity * calmShare, ms: calmMs };
    const settling: Phase = { ...calm, ms: 1_000 };
    const phases = [settling, calm, { perSecond: capacity * overloadFactor, ms: overloadMs }, calm];
    const job = await this.#job(Math.ceil(phases.reduce((sum, { perSecond, ms }) => sum + (perSecond * ms) / 1000, 0)));
    const result = await driveStreams({ ...job, load: { phases, windowMs } });
    const [, before, during] = result.phases;
    if (before === undefined || during === undefined) throw new Error('the driver reported too little');
    const run = runOf(during, result.busyShare);
    return {
      ...run,
      counters: {
        ...run.counters,
        calm_p50_ms: before.servedP50Ms,
        calm_p99_ms: before.servedP99Ms,
        served_p99_ratio: during.servedP99Ms / before.servedP99Ms,
        recovery_ms: recoveryMs(result, during.toMs, before.servedP99Ms),
        offered_by_capacity: during.sent / (during.toMs - during.fromMs) / (capacity / 1000),
      },
      violations: await this.#violations(job, result.phases, ['status 8']),
    };
  }

  /** Skus with units for everybody who may want one. */
  async #job(wanted: number): Promise<Omit<StreamJob, 'load'>> {
    const tag = freshTag();
    const skuIds = Array.from({ length: skusOfRun }, (_, n) => `${tag}-${n}`);
    await this.bench.putSkus(skuIds, Math.ceil(wanted / skusOfRun));
    return { addresses: [this.bench.mesh.describe().gateway], storeId, skuIds, tag, deadlineMs };
  }

  /** Whoever was told yes has an order, and nobody else; and nobody was told anything but yes or what is allowed besides. */
  async #violations({ skuIds }: Omit<StreamJob, 'load'>, stretches: Stretch[], allowed: string[]): Promise<string[]> {
    const told = new Map<string, number>();
    for (const [outcome, count] of stretches.flatMap(({ outcomes }) => Object.entries(outcomes))) {
      told.set(outcome, (told.get(outcome) ?? 0) + count);
    }
    const yes = (told.get('HELD') ?? 0) + (told.get('PENDING') ?? 0);
    return [
      ...[...told]
        .filter(([outcome]) => !['HELD', 'PENDING', ...allowed].includes(outcome))
        .map(([outcome, count]) => `${count} reservations ended with ${outcome}`),
      ...(await this.bench.witness.violations(skuIds, yes)),
    ];
  }
}

function rateOfStretch({ served, fromMs, toMs }: Stretch): number {
  return (served * 1000) / (toMs - fromMs);
}

function runOf(stretch: Stretch, busyShare: number): ArmRun {
  const { served, sent, fromMs, toMs, servedP50Ms, servedP99Ms, outcomes } = stretch;
  return {
    items: served,
    durationMs: toMs - fromMs,
    counters: {
      served_p50_ms: servedP50Ms,
      served_p99_ms: servedP99Ms,
      served_share: served / sent,
      pending: outcomes.PENDING ?? 0,
      driver_busy_share: busyShare,
    },
    violations: [],
  };
}

/** From the end of the overload to the end of the first window in which all were served about as fast as before it. */
function recoveryMs({ windows }: StreamResult, overloadEndsMs: number, calmP99Ms: number): number {
  const recovered = windows.find(
    ({ fromMs, sent, served, servedP99Ms }) =>
      fromMs >= overloadEndsMs && served === sent && servedP99Ms <= calmP99Ms * recoveredFactor,
  );
  return recovered === undefined ? Number.POSITIVE_INFINITY : recovered.toMs - overloadEndsMs;
}
