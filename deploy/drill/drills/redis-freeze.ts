import type { Drill } from '../drill.js';

export const redisFreeze: Drill = {
  name: 'redis-freeze',
  about: 'Redis stands still: connections stay, nothing answers',
  recovery: 'Redis goes on',
  fault: ({ servers }) => servers.redis.freeze(),
  heal: ({ servers }) => servers.redis.thaw(),
};
