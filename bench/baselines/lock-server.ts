import { join } from 'node:path';
import { Redis } from 'ioredis';
import { startRedis } from '#libs/servers/start-redis.js';
import type { BenchmarkContext } from '../frame/benchmark.js';

/** A Redis for locks alone, closed with the benchmark. */
export async function lockServer({ directory, life }: Pick<BenchmarkContext, 'directory' | 'life'>): Promise<Redis> {
  const server = await startRedis({ directory: join(directory, 'locks') });
  life.closer('redis of the locks', () => server.stop());
  const redis = new Redis(server.url);
  life.closer('client of that redis', async () => redis.disconnect());
  return redis;
}
