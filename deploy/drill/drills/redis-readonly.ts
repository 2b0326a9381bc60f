import type { Drill } from '../drill.js';

export const redisReadonly: Drill = {
  name: 'redis-readonly',
  about: 'Redis is made the replica of a server that is not there: it answers READONLY',
  recovery: 'Redis is made a primary again',
  fault: async ({ redis }) => {
    await redis.replicaof('127.0.0.1', 1);
  },
  heal: async ({ redis }) => {
    await redis.replicaof('NO', 'ONE');
  },
};
