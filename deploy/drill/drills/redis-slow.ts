import type { Drill } from '../drill.js';

/** Each way. */
const DELAY_MS = 150;

export const redisSlow: Drill = {
  name: 'redis-slow',
  about: 'every call of Redis takes 300 ms longer',
  recovery: 'the network to Redis is fast again',
  fault: ({ links }) => links.redis.delay(DELAY_MS),
  heal: ({ links }) => links.redis.heal(),
};
