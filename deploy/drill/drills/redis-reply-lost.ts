import type { Drill } from '../drill.js';

export const redisReplyLost: Drill = {
  name: 'redis-reply-lost',
  about: 'Redis does what it is told, and nobody hears its replies',
  recovery: 'the network to Redis carries replies again',
  fault: ({ links }) => links.redis.dropReplies(),
  heal: ({ links }) => links.redis.heal(),
};
