import type { Redis } from 'ioredis';

/** Scripts that a Redis has run so far, by its own count. */
export async function scriptCalls(redis: Redis): Promise<number> {
  return Number(/cmdstat_evalsha:calls=(\d+)/.exec(await redis.info('commandstats'))?.[1] ?? 0);
}
