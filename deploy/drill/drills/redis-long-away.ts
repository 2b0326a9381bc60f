import type { Drill } from '../drill.js';

export const redisLongAway: Drill = {
  name: 'redis-long-away',
  about: 'Redis is killed, and stays away for a minute',
  recovery: 'Redis is started again, with its data',
  plan: { perSecond: 200, faultMs: 60_000 },
  fault: ({ servers }) => servers.redis.kill(),
  heal: ({ servers }) => servers.redis.start(),
};
