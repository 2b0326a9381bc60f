import { join } from 'node:path';
import { Redis } from 'ioredis';
import { startRedis } from '#libs/servers/start-redis.js';
import { startRival } from './baselines/start-rival.js';
import { startUnaryMesh } from './baselines/start-unary-mesh.js';
import { type BenchMesh, storeId } from './drivers/bench-mesh.js';
import { driveHttpOpen } from './drivers/drive.js';
import { freshTag } from './drivers/fresh-tag.js';
import { driveHttp, type HttpOrdersResult, wrkProgram } from './drivers/http-orders.js';
import { LedgerWitness } from './drivers/ledger-witness.js';
import { meterMesh } from './drivers/mesh-meter.js';
import { meterCpu } from './drivers/process-cpu.js';
import { type Arm, type ArmRun, type Benchmark, type BenchmarkContext, rated } from './frame/benchmark.js';
import { median } from './frame/paired-runs.js';

/** More than any arm can sell in its time. */
const capacity = 1_000_000;

/** Of what it does in a closed loop. */
const steadyShare = 0.7;
const steadyName = `mesh at ${steadyShare} of that, open loop`;
const answerWithinMs = 5_000;

interface Load {
  wrk: string;
  connections: number;
  seconds: number;
  warmUpSeconds: number;
}

/** What all that keeps units exact costs and saves, from an app's request to the committed row. */
export const ordersAgainstMonolith: Benchmark = {
  id: 'P4a',
  title:
    'orders of one sku over HTTP, each committed before its answer, against one process with one transaction an order',
  unit: 'orders/s',
  sharesMesh: true,
  gate: 3,
  goal: 8,
  bounds: [{ arm: steadyName, counter: 'p99_ms', goal: { atMost: 250 } }],
  open: async (context) => {
    const { load, a } = await open(context);
    const bench = await context.shared.mesh();
    const { arm, rates } = rated(a);
    const steady = steadyArm(bench, load, () => steadyShare * median(rates));
    return { a: arm, b: await monolithArm(context, load), reported: [spreadArm(bench, load), steady] };
  },
};

/** What batching at every hop is worth. */
export const ordersAgainstUnaryMesh: Benchmark = {
  id: 'P4b',
  title:
    'orders of one sku over HTTP, each committed before its answer, against a mesh of unary calls, one of each an order',
  unit: 'orders/s',
  sharesMesh: true,
  gate: 3,
  goal: 6,
  open: async (context) => {
    const { load, a } = await open(context);
    return { a, b: await unaryMeshArm(context, load), reported: [] };
  },
};

async function open({ quick, progress, shared }: BenchmarkContext): Promise<{ load: Load; a: Arm }> {
  const wrk = await wrkProgram(progress);
  const load = {
    wrk,
    connections: 256,
    ...(quick ? { seconds: 3, warmUpSeconds: 2 } : { seconds: 5, warmUpSeconds: 2 }),
  };
  return { load, a: meshArm(await shared.mesh(), load) };
}

function meshArm({ mesh, witness, putSkus }: BenchMesh, load: Load): Arm {
  return {
    name: 'mesh',
    run: async () => {
      const described = mesh.describe();
      const tag = freshTag();
      const skuId = `hot-${tag}`;
      await putSkus([skuId], capacity);
      const meter = () => meterMesh(described);
      return orders(load, { url: described.http, skuId, skuIds: [skuId], tag, witness, meter });
    },
  };
}

/** As meshArm, but each order wants the next of a thousand skus. */
function spreadArm({ mesh, witness, putSkus }: BenchMesh, load: Load): Arm {
  return {
    name: 'mesh, spread over 1,000 skus',
    run: async () => {
      const described = mesh.describe();
      const tag = freshTag();
      const skuIds = Array.from({ length: 1_000 }, (_, n) => `spread-${tag}-${String(n).padStart(4, '0')}`);
      await putSkus(skuIds, capacity);
      const meter = () => meterMesh(described);
      return orders(load, { url: described.http, skuId: `spread-${tag}-####`, skuIds, tag, witness, meter });
    },
  };
}

/** How long people wait when it is not pressed: each comes at its time, whatever became of those before. */
function steadyArm({ mesh, witness, putSkus }: BenchMesh, { seconds }: Load, perSecond: () => number): Arm {
  return {
    name: steadyName,
    run: async () => {
      const tag = freshTag();
      const skuId = `hot-${tag}`;
      await putSkus([skuId], capacity);
      const settling = { perSecond: perSecond(), ms: 1_000 };
      const phases = [settling, { ...settling, ms: seconds * 1_000 }];
      const wish = { storeId, skuId, tag, timeoutMs: answerWithinMs };
      const result = await driveHttpOpen({ url: mesh.describe().http, ...wish, phases });
      const [, steady] = result.phases;
      if (steady === undefined) throw new Error('the driver reported too little');
      const promised = result.phases.reduce((sum, { served }) => sum + served, 0);
      const others = result.phases.flatMap(({ outcomes }) =>
        Object.entries(outcomes).filter(([outcome]) => !['HELD', 'PENDING'].includes(outcome)),
      );
      const unknown = others.reduce((sum, [, count]) => sum + count, 0);
      return {
        items: steady.served,
        durationMs: steady.toMs - steady.fromMs,
        counters: { p50_ms: steady.servedP50Ms, p99_ms: steady.servedP99Ms, driver_busy_share: result.busyShare },
        violations: [
          ...others.map(([outcome, count]) => `${count} requests ended with ${outcome}`),
          ...(await witness.violations([skuId], promised, unknown)),
        ],
      };
    },
  };
}

/** One process and a pool of twenty, on a ledger with the same tables. */
async function monolithArm({ life, shared }: BenchmarkContext, load: Load): Promise<Arm> {
  const copies = await shared.ledgerCopies();
  const url = await copies.make();
  const witness = new LedgerWitness(url);
  life.closer('witness of the rival', () => witness.close());
  const monolith = await startRival('monolith', [url]);
  life.closer('monolith', () => monolith.stop());
  const pids = { monolith: monolith.pid, postgres: copies.postgresPid };
  return rivalArm('monolith', load, { url: monolith.address, witness, pids, stock: async () => undefined });
}

/** Edge, gateway, inventory with Redis, and order with a pool of twenty. */
async function unaryMeshArm({ life, directory, shared }: BenchmarkContext, load: Load): Promise<Arm> {
  const copies = await shared.ledgerCopies();
  const url = await copies.make();
  const witness = new LedgerWitness(url);
  life.closer('witness of the rival', () => witness.close());
  const server = await startRedis({ directory: join(directory, 'rival-redis'), appendonly: true });
  life.closer('redis of the rival', () => server.stop());
  const redis = new Redis(server.url);
  life.closer('client of that redis', async () => redis.disconnect());
  const mesh = await startUnaryMesh(server.url, url);
  life.closer('unary mesh', () => mesh.stop());
  const pids = { ...mesh.pids, redis: server.pid, postgres: copies.postgresPid };
  const stock = async (skuId: string) => void (await redis.hset(`sku:{${skuId}}`, 'free', capacity));
  return rivalArm('unary mesh', load, { url: mesh.url, witness, pids, stock });
}

interface RivalEdge {
  url: string;
  witness: LedgerWitness;
  pids: Record<string, number | undefined>;
  /** Puts the units where the rival looks for them, besides the ledger. */
  stock(skuId: string): Promise<void>;
}

function rivalArm(name: string, load: Load, { url, witness, pids, stock }: RivalEdge): Arm {
  return {
    name,
    run: async () => {
      const tag = freshTag();
      const skuId = `hot-${tag}`;
      await witness.putSkus(storeId, [skuId], capacity);
      await stock(skuId);
      const meter = async () => meterCpu(pids);
      return orders(load, { url, skuId, skuIds: [skuId], tag, witness, meter });
    },
  };
}

interface Sale {
  url: string;
  /** As the driver takes it. */
  skuId: string;
  skuIds: string[];
  tag: string;
  witness: LedgerWitness;
  /** Begins to watch what is spent; the function it gives says what an item cost. */
  meter(): Promise<(items: number) => Record<string, number> | Promise<Record<string, number>>>;
}

/** A run against one edge, and what its ledger says of it. */
async function orders(load: Load, { url, skuId, skuIds, tag, witness, meter }: Sale): Promise<ArmRun> {
  const { connections, warmUpSeconds } = load;
  const warmUp = await driveHttp(load.wrk, { ...load, seconds: warmUpSeconds, url, storeId, skuId, tag: `${tag}w` });
  const spent = await meter();
  const result = await driveHttp(load.wrk, { ...load, url, storeId, skuId, tag });
  const counters = await spent(result.requests);
  const held = warmUp.requests + result.requests;
  return {
    items: result.requests,
    durationMs: result.durationMs,
    counters: { p50_ms: result.p50Ms, p99_ms: result.p99Ms, driver_busy_share: result.busyShare, ...counters },
    violations: [
      ...unexpected(result),
      // Whatever was on its way when the driver left may have become an order.
      ...(await witness.violations(skuIds, held, 2 * connections)),
    ],
  };
}

/** There is a unit for everybody. */
function unexpected({ refusals, lost }: HttpOrdersResult): string[] {
  return [
    ...(refusals > 0 ? [`${refusals} requests were refused`] : []),
    ...(lost > 0 ? [`${lost} requests had no answer`] : []),
  ];
}
