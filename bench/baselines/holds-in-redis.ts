import type { Redis } from 'ioredis';
import type { Claim } from '#libs/contracts/gen/holdfast/event/v1/claim.js';
import { onlyLine } from './order-transaction.js';

const atOnce = 1_000;
const holdSeconds = 900;

/** Skus as one would keep them in Redis: a hash of five fields each. */
export async function putSkuHashes(redis: Redis, skuIds: readonly string[], units: number): Promise<void> {
  await inPipelines(redis, skuIds, (pipeline, skuId) =>
    pipeline.hset(`sku:{${skuId}}`, { capacity: units, free: units, held: 0, sold: 0, version: 1 }),
  );
}

/** Holds as one would keep them there: a key each that ends by itself, the sku's buyers, and deadlines for the sweeper. */
export async function placeHolds(redis: Redis, claims: readonly Claim[]): Promise<void> {
  const until = Date.now() + holdSeconds * 1_000;
  await inPipelines(redis, claims, (pipeline, claim) => {
    const { skuId, quantity } = onlyLine(claim);
    return pipeline
      .set(`hold:{${skuId}}:${claim.orderId}`, quantity, 'EX', holdSeconds)
      .sadd(`buyers:{${skuId}}`, claim.userId)
      .zadd(`deadlines:{${skuId}}`, until, claim.orderId);
  });
}

/** They are paid: the buyers stay, so that nobody buys twice. */
export async function decideHolds(redis: Redis, claims: readonly Claim[]): Promise<void> {
  await inPipelines(redis, claims, (pipeline, claim) => {
    const { skuId } = onlyLine(claim);
    return pipeline.del(`hold:{${skuId}}:${claim.orderId}`).zrem(`deadlines:{${skuId}}`, claim.orderId);
  });
}

async function inPipelines<Item>(
  redis: Redis,
  items: readonly Item[],
  add: (pipeline: ReturnType<Redis['pipeline']>, item: Item) => unknown,
): Promise<void> {
  for (let from = 0; from < items.length; from += atOnce) {
    const pipeline = redis.pipeline();
    for (const item of items.slice(from, from + atOnce)) add(pipeline, item);
    for (const [error] of (await pipeline.exec()) ?? []) if (error) throw error;
  }
}
