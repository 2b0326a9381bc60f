import { setTimeout as pause } from 'node:timers/promises';
import type { Drill } from '../drill.js';
import type { Stage } from '../stage.js';

/** What fills Redis so that it has to throw other keys away. */
const FILLER = { keys: 4_000, bytes: 1_000, perTurn: 400, turns: 25, everyMs: 100 };

export const redisEvict: Drill = {
  name: 'redis-evict',
  about: 'Redis is full and throws keys away, whichever they are',
  recovery: 'Redis has room again and throws nothing away',
  fault: async ({ redis }) => {
    await fill(redis, 0, FILLER.keys);
    const used = Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1] ?? 0);
    await redis.config('SET', 'maxmemory-policy', 'allkeys-random');
    await redis.config('SET', 'maxmemory', `${used - (FILLER.keys * FILLER.bytes) / 2}`);
    for (let turn = 0; turn < FILLER.turns; turn += 1) {
      await fill(redis, FILLER.keys + turn * FILLER.perTurn, FILLER.perTurn);
      await pause(FILLER.everyMs);
    }
  },
  heal: async ({ redis }) => {
    await redis.config('SET', 'maxmemory', '0');
    await redis.config('SET', 'maxmemory-policy', 'noeviction');
    for (const key of await redis.keys('filler:*')) await redis.unlink(key);
  },
};

async function fill(redis: Stage['redis'], from: number, count: number): Promise<void> {
  const pipeline = redis.pipeline();
  for (let at = from; at < from + count; at += 1) pipeline.set(`filler:${at}`, 'x'.repeat(FILLER.bytes));
  await pipeline.exec();
}
