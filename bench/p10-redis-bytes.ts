import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { createRedis } from '#libs/redis/redis-client.js';
import { createLogger } from '#libs/runtime/logger.js';
import { createMetrics } from '#libs/runtime/metrics.js';
import { startRedis } from '#libs/servers/start-redis.js';
import { renderTable } from '#libs/terminal/table.js';
import { decideHolds, placeHolds, putSkuHashes } from './baselines/holds-in-redis.js';
import { type BenchMesh, storeId } from './drivers/bench-mesh.js';
import { runCallers } from './drivers/callers.js';
import { claimOf } from './drivers/claims.js';
import { driveStreams } from './drivers/drive.js';
import { freshTag } from './drivers/fresh-tag.js';
import { GateAlone } from './drivers/gate-alone.js';
import { redisBytes } from './drivers/redis-bytes.js';
import type { BenchmarkContext } from './frame/benchmark.js';
import type { Judged } from './frame/bounds.js';
import type { Findings, Survey } from './frame/survey.js';

const inFlight = 256;
const deadlineMs = 5_000;
const settledWithinMs = 3_000;
const lookEveryMs = 500;
/** What services note by the clock comes and goes. */
const slackBytes = 500;
const claimSkus = 100;
const sizes = {
  full: { skus: 2_000, orders: 10_000, claims: 20_000 },
  quick: { skus: 200, orders: 2_000, claims: 2_000 },
};

/** Bytes of one thing. */
interface Bytes {
  idleSku: number;
  claim: number;
  decidedOrder: number;
}

/** What the mesh keeps besides. */
interface MeshBytes extends Omit<Bytes, 'claim'> {
  /** Of a sku that was asked for, until its sale ends. */
  usedSku: number;
  /** Of an order whose answer is kept ready for whoever asks again. */
  answer: number;
  violations: string[];
}

/** How much Redis has to remember. */
export const bytesInRedis: Survey = {
  id: 'P10',
  title: 'bytes in Redis for a sku, for a claim and for an order, against holds kept as keys, buyers and deadlines',
  sharesMesh: true,
  survey,
};

async function survey(context: BenchmarkContext): Promise<Findings> {
  const size = context.quick ? sizes.quick : sizes.full;
  const mesh = await bytesOfMesh(await context.shared.mesh(), size);
  const { claim, rival } = await bytesOfClaims(context, size);
  const { violations, ...kept } = mesh;
  const row = (words: string, ours: number, theirs?: number) => [words, ours.toFixed(0), theirs?.toFixed(0) ?? ''];
  return {
    text: renderTable(
      [{ title: 'bytes of' }, { title: 'ours', side: 'right' }, { title: 'rival', side: 'right' }],
      [
        row('a sku on sale that nobody has asked for', mesh.idleSku, rival.idleSku),
        row('a sku that was asked for, until its sale ends', mesh.usedSku),
        row('an undecided claim', claim, rival.claim),
        row('a decided order', mesh.decidedOrder, rival.decidedOrder),
        row('an answer, for as long as it is kept ready', mesh.answer),
      ],
    ),
    figures: { ours: { ...kept, claim }, rival },
    violations,
    judged: judge({ ...mesh, claim }, rival),
  };
}

function judge(ours: Bytes, rival: Bytes): Judged[] {
  return [
    {
      words: 'bytes of an idle sku by those of a hash of five fields',
      figure: ours.idleSku / rival.idleSku,
      ...{ gate: { atMost: 0.5 }, goal: { atMost: 0.25 } },
    },
    {
      words: 'bytes of an undecided claim by those of a hold as a key, a buyer and a deadline',
      figure: ours.claim / rival.claim,
      ...{ gate: { atMost: 1 }, goal: { atMost: 0.6 } },
    },
    { words: 'bytes of a decided order', figure: ours.decidedOrder, ...{ gate: { atMost: 0 }, goal: { atMost: 0 } } },
  ];
}

/** Skus that are put on sale, then asked for once each, then orders of one of them. */
async function bytesOfMesh(bench: BenchMesh, size: typeof sizes.full): Promise<MeshBytes> {
  const described = bench.mesh.describe();
  const redis = new Redis(described.infra.redis?.url ?? '');
  const tag = freshTag();
  const skuIds = Array.from({ length: size.skus }, (_, n) => `size-${tag}-${n}`);
  const sell = async (wanted: string[], items: number): Promise<void> => {
    const wish = { addresses: [described.gateway], storeId, skuIds: wanted, tag: freshTag(), deadlineMs };
    await driveStreams({ ...wish, load: { inFlight, warmUp: 0, items } });
  };
  try {
    const before = await settled(redis);
    await bench.putSkus(skuIds, size.orders + 1);
    const onSale = await settled(redis);
    await sell(skuIds, size.skus);
    const asked = await settled(redis);
    const hot = skuIds.slice(0, 1);
    const passing = (await redisBytes(redis)).passing;
    await sell(hot, size.orders);
    const answers = (await redisBytes(redis)).passing - passing;
    const decided = await settled(redis);
    return {
      idleSku: Math.round((onSale - before) / size.skus),
      usedSku: Math.round((asked - onSale) / size.skus),
      decidedOrder: Math.round((decided - asked) / size.orders),
      answer: Math.round(answers / size.orders),
      violations: [
        ...(await bench.witness.violations(hot, size.orders + 1)),
        ...(await bench.witness.violations(skuIds.slice(1), size.skus - 1)),
      ],
    };
  } finally {
    redis.disconnect();
  }
}

/** The lasting bytes once they do not change any more: every claim is decided and has left the journal. */
async function settled(redis: Redis): Promise<number> {
  const deadline = performance.now() + settledWithinMs;
  for (let last = Number.NaN; ; ) {
    const { lasting } = await redisBytes(redis);
    if (Math.abs(lasting - last) <= slackBytes || performance.now() > deadline) return lasting;
    last = lasting;
    await pause(lookEveryMs);
  }
}

/** Claims that nobody decides, and the same as holds of the rival, which are decided then. */
async function bytesOfClaims(
  { directory, life }: BenchmarkContext,
  { claims: count }: typeof sizes.full,
): Promise<{ claim: number; rival: Bytes }> {
  const server = await startRedis({ directory: join(directory, 'redis') });
  life.closer('redis', () => server.stop());
  const logger = createLogger('bench', 'warn');
  const redis = createRedis({
    url: server.url,
    name: 'bench',
    commandTimeoutMs: 10_000,
    logger,
    metrics: createMetrics(),
  });
  life.closer('client', () => redis.disconnect());
  await new Promise((resolve) => redis.once('ready', resolve));
  const bytes = async (): Promise<number> => {
    const { lasting, passing } = await redisBytes(redis);
    return lasting + passing;
  };
  const gate = new GateAlone(redis);
  life.closer('gate', () => gate.close());
  const skuIds = Array.from({ length: claimSkus }, (_, n) => `sku-${n}`);
  const claims = Array.from({ length: count }, (_, n) => claimOf({ storeId, skuIds, tag: 'size' }, n));
  await gate.load(skuIds, count);
  const loaded = await bytes();
  await runCallers(inFlight, count, (n) => gate.place(claims[n] ?? claimOf({ storeId, skuIds, tag: 'size' }, n)));
  const claim = ((await bytes()) - loaded) / count;

  await redis.flushall();
  await putSkuHashes(redis, skuIds, count);
  const skus = await bytes();
  await placeHolds(redis, claims);
  const held = await bytes();
  await decideHolds(redis, claims);
  const decided = await bytes();
  const rival = { idleSku: skus / claimSkus, claim: (held - skus) / count, decidedOrder: (decided - skus) / count };
  return { claim, rival };
}
