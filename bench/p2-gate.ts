import { join } from 'node:path';
import type { Claim } from '#libs/contracts/gen/holdfast/event/v1/claim.js';
import { createRedis, type RedisClient } from '#libs/redis/redis-client.js';
import { createLogger } from '#libs/runtime/logger.js';
import { createMetrics } from '#libs/runtime/metrics.js';
import { startRedis } from '#libs/servers/start-redis.js';
import { loadTakeScript, takeByScript } from './baselines/take-by-script.js';
import { storeId } from './drivers/bench-mesh.js';
import { runCallers } from './drivers/callers.js';
import { claimOf } from './drivers/claims.js';
import { freshTag } from './drivers/fresh-tag.js';
import { GateAlone } from './drivers/gate-alone.js';
import { meterCpu } from './drivers/process-cpu.js';
import { scriptCalls } from './drivers/script-calls.js';
import type { Arm, ArmRun, Benchmark, BenchmarkContext, OpenBenchmark } from './frame/benchmark.js';
import { median } from './frame/paired-runs.js';

const callers = 256;
const warmUpShare = 0.2;
/** By turns, so that whatever else the machine does weighs on both alike. */
const turnsOfOne = 10;
const oneCaller = 'gate, one caller';
const commandTimeoutMs = 10_000;

/** A way of setting units aside in Redis. */
interface Way {
  name: string;
  /** Puts units of a sku where they are looked for. */
  stock(skuId: string, units: number): Promise<void>;
  take(claim: Claim): Promise<boolean>;
  /** What is not as it must be when so many of these units are taken. */
  violations(skuId: string, units: number, taken: number): Promise<string[]>;
}

/** What asking Redis for all who wait at once is worth. */
export const gateAlone: Benchmark = {
  id: 'P2',
  title: `the gate alone, one sku, ${callers} callers in this process, against the same script for each request on one connection`,
  unit: 'requests/s',
  gate: 1.8,
  goal: 4,
  bounds: [
    { arm: 'gate', counter: 'redis_calls_per_item', goal: { atMost: 0.05 } },
    { arm: oneCaller, counter: 'p50_by_rival', goal: { atMost: 1.1 } },
  ],
  open,
};

async function open({ directory, life, quick }: BenchmarkContext): Promise<OpenBenchmark> {
  const server = await startRedis({ directory: join(directory, 'redis'), appendonly: true });
  life.closer('redis', () => server.stop());
  const logger = createLogger('bench', 'warn');
  const redis = createRedis({ url: server.url, name: 'bench', commandTimeoutMs, logger, metrics: createMetrics() });
  life.closer('client', () => redis.disconnect());
  await new Promise((resolve) => redis.once('ready', resolve));
  await loadTakeScript(redis);
  const gate = new GateAlone(redis);
  life.closer('gate', () => gate.close());
  const ours = gateWay(gate, 'gate', (claim) => gate.place(claim));
  const rival = gateWay(gate, 'a script a request', (claim) => gate.placeAlone(claim));
  const load = quick ? { items: 40_000, ofOne: 1_000 } : { items: 200_000, ofOne: 5_000 };
  const armOf = (way: Way): Arm => ({ name: way.name, run: () => takeAll(redis, server.pid, way, load.items) });
  const byOne: Arm = { name: oneCaller, run: () => takeByOne(ours, rival, load.ofOne) };
  return { a: armOf(ours), b: armOf(rival), reported: [byOne, armOf(unitsAlone(redis))] };
}

function gateWay(gate: GateAlone, name: string, take: Way['take']): Way {
  return {
    ...{ name, take },
    stock: (skuId, units) => gate.load([skuId], units),
    violations: async (skuId, units, taken) => {
      const { letIn, undecided, claims } = await gate.stockOf(skuId);
      if (letIn === units - taken && undecided === taken && claims === taken) return [];
      return [
        `of ${units} units ${taken} were taken, and the gate has ${letIn} left and ${claims} of ${undecided} claims`,
      ];
    },
  };
}

/** A script that knows units and orders, and no terms, no journal and no order of several lines. */
function unitsAlone(redis: RedisClient): Way {
  return {
    name: 'a script a request, units alone',
    stock: async (skuId, units) => void (await redis.hset(`sku:{${skuId}}`, 'free', units)),
    take: ({ orderId, lines }) => takeByScript(redis, lines[0]?.skuId ?? '', { orderId, quantity: 1 }),
    violations: async (skuId, units, taken) => {
      const free = Number(await redis.hget(`sku:{${skuId}}`, 'free'));
      const orders = await redis.hlen(`orders:{${skuId}}`);
      if (free === units - taken && orders === taken) return [];
      return [`of ${units} units ${taken} were taken, and Redis has ${free} left and ${orders} orders`];
    },
  };
}

async function takeAll(redis: RedisClient, redisPid: number, way: Way, items: number): Promise<ArmRun> {
  const skuId = `hot-${freshTag()}`;
  const warmUp = items * warmUpShare;
  await way.stock(skuId, items + warmUp);
  const take = takerOf(way, skuId, items + warmUp);
  await runCallers(callers, warmUp, take);
  const before = await scriptCalls(redis);
  const cpu = meterCpu({ callers: process.pid, redis: redisPid });
  const { durationMs, held, p50Ms, p99Ms } = await runCallers(callers, items, (n) => take(warmUp + n));
  const spent = cpu(items);
  const calls = (await scriptCalls(redis)) - before;
  const violations = await way.violations(skuId, items + warmUp, warmUp + held);
  await redis.flushall(); // The next one finds no journal of this one.
  const counters = { p50_ms: p50Ms, p99_ms: p99Ms, redis_calls_per_item: calls / items, ...spent };
  return { items: held, durationMs, counters, violations };
}

/** Takes units for claims that are made before the clock starts. */
function takerOf(way: Way, skuId: string, count: number): (n: number) => Promise<boolean> {
  const claims = Array.from({ length: count }, (_, n) => claimOf({ storeId, skuIds: [skuId], tag: skuId }, n));
  return (n) => {
    const claim = claims[n];
    if (claim === undefined) throw new RangeError(`there is no claim ${n}`);
    return way.take(claim);
  };
}

/** One caller of each way by turns. */
async function takeByOne(ours: Way, rival: Way, items: number): Promise<ArmRun> {
  const [skuId, rivalSkuId] = [`one-${freshTag()}`, `one-${freshTag()}`];
  const found = { ours: [] as number[], rival: [] as number[], durationMs: 0 };
  const each = items / turnsOfOne;
  await ours.stock(skuId, items);
  await rival.stock(rivalSkuId, items);
  const [take, rivalTake] = [takerOf(ours, skuId, items), takerOf(rival, rivalSkuId, items)];
  for (let turn = 0; turn < turnsOfOne; turn += 1) {
    const { p50Ms, durationMs } = await runCallers(1, each, (n) => take(turn * each + n));
    found.ours.push(p50Ms);
    found.durationMs += durationMs;
    found.rival.push((await runCallers(1, each, (n) => rivalTake(turn * each + n))).p50Ms);
  }
  const [p50, rivalP50] = [median(found.ours), median(found.rival)];
  return {
    items,
    durationMs: found.durationMs,
    counters: { p50_ms: p50, rival_p50_ms: rivalP50, p50_by_rival: p50 / rivalP50 },
    violations: [
      ...(await ours.violations(skuId, items, items)),
      ...(await rival.violations(rivalSkuId, items, items)),
    ],
  };
}
