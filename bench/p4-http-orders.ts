import { join } from 'node:path';
import { Redis } from 'ioredis';
import { startRedis } from '#libs/servers/start-redis.js';
import { startRival } from './baselines/start-rival.js';
import { startUnaryMesh } from './baselines/start-unary-mesh.js';
import { type BenchMesh, storeId } from './drivers/bench-mesh.js';
import { freshTag } from './drivers/fresh-tag.js';
import { driveHttp, type HttpOrdersResult, wrkProgram } from './drivers/http-orders.js';
import { LedgerWitness } from './drivers/ledger-witness.js';
import { meterMesh } from './drivers/mesh-meter.js';
import { meterCpu } from './drivers/process-cpu.js';
import type { Arm, ArmRun, Benchmark, BenchmarkContext, OpenBenchmark } from './frame/benchmark.js';

/** More than any arm can sell in its time. */
const capacity = 1_000_000;

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
  open: (context) => open(context, monolithArm),
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
  open: (context) => open(context, unaryMeshArm),
};

async function open(
  context: BenchmarkContext,
  rivalArm: (context: BenchmarkContext, load: Load) => Promise<Arm>,
): Promise<OpenBenchmark> {
  const { quick, progress, shared } = context;
  const wrk = await wrkProgram(progress);
  const load = {
    wrk,
    connections: 256,
    ...(quick ? { seconds: 4, warmUpSeconds: 2 } : { seconds: 8, warmUpSeconds: 4 }),
  };
  return { a: meshArm(await shared.mesh(), load), b: await rivalArm(context, load), reported: [] };
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
      return orders(load, { url: described.http, skuId, tag, witness, meter });
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
      return orders(load, { url, skuId, tag, witness, meter });
    },
  };
}

interface Sale {
  url: string;
  skuId: string;
  tag: string;
  witness: LedgerWitness;
  /** Begins to watch what is spent; the function it gives says what an item cost. */
  meter(): Promise<(items: number) => Record<string, number> | Promise<Record<string, number>>>;
}

/** A run against one edge, and what its ledger says of it. */
async function orders(load: Load, { url, skuId, tag, witness, meter }: Sale): Promise<ArmRun> {
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
      ...(await witness.violations([skuId], held, 2 * connections)),
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
