import { join } from 'node:path';
import { Redis } from 'ioredis';
import { startRedis } from '#libs/servers/start-redis.js';
import { scriptCalls } from '../drivers/script-calls.js';
import type { Arm, ArmRun, BenchmarkContext } from '../frame/benchmark.js';
import { startRival } from './start-rival.js';
import { startUnaryMesh } from './start-unary-mesh.js';

/** Drives an edge at that URL once, and watches what its processes spend. */
type Refuse = (url: string, pids: Record<string, number | undefined>) => Promise<ArmRun>;

/** The edge that says no to all without asking anybody. */
export async function constantEdge({ life }: BenchmarkContext, refuse: Refuse): Promise<Arm> {
  const edge = await startRival('constant-edge');
  life.closer('constant edge', () => edge.stop());
  return { name: 'constant edge', run: () => refuse(edge.address, { edge: edge.pid }) };
}

/** The mesh of unary calls, with a Redis of its own that holds nothing but a sku of which all is taken. */
export async function unaryMesh({ life, directory }: BenchmarkContext, skuId: string, refuse: Refuse): Promise<Arm> {
  const server = await startRedis({ directory: join(directory, 'rival-redis'), appendonly: true });
  life.closer('redis of the rival', () => server.stop());
  const redis = new Redis(server.url);
  life.closer('client of that redis', async () => redis.disconnect());
  const mesh = await startUnaryMesh(server.url);
  life.closer('unary mesh', () => mesh.stop());
  return {
    name: 'unary mesh',
    run: async () => {
      const callsBefore = await scriptCalls(redis);
      const run = await refuse(mesh.url, { ...mesh.pids, redis: server.pid });
      const calls = (await scriptCalls(redis)) - callsBefore;
      const taken = await redis.hlen(`orders:{${skuId}}`);
      return {
        ...run,
        violations: [
          ...run.violations,
          ...(calls < run.items ? [`${run.items} refusals and only ${calls} scripts`] : []),
          ...(taken > 0 ? [`${taken} units taken where there are none`] : []),
        ],
      };
    },
  };
}
