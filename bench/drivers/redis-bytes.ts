import type { Redis } from 'ioredis';

const keysAtOnce = 1_000;

/** What the keys of a Redis take, by its own word. */
export interface RedisBytes {
  /** Of keys that stay until somebody deletes them. */
  lasting: number;
  /** Of those that end by themselves. */
  passing: number;
}

/** Asks for every key. What comes and goes meanwhile counts or not. */
export async function redisBytes(redis: Redis): Promise<RedisBytes> {
  const bytes = { lasting: 0, passing: 0 };
  let cursor = '0';
  do {
    const [next, keys] = await redis.scan(cursor, 'COUNT', keysAtOnce);
    const pipeline = redis.pipeline();
    for (const key of keys) pipeline.memory('USAGE', key, 'SAMPLES', 0).pttl(key);
    const replies = (await pipeline.exec()) ?? [];
    for (let at = 0; at < replies.length; at += 2) {
      const [size, ttl] = [Number(replies[at]?.[1]), Number(replies[at + 1]?.[1])];
      bytes[ttl >= 0 ? 'passing' : 'lasting'] += size;
    }
    cursor = next;
  } while (cursor !== '0');
  return bytes;
}
