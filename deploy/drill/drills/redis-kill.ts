import type { Drill } from '../drill.js';

export const redisKill: Drill = {
  name: 'redis-kill',
  about: 'Redis is killed',
  recovery: 'Redis is started again, with its data',
  fault: ({ servers }) => servers.redis.kill(),
  heal: ({ servers }) => servers.redis.start(),
};
