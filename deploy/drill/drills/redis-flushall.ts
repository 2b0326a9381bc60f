import type { Drill } from '../drill.js';
import { wrapping } from '../unsafe.js';

export const redisFlushall: Drill = {
  name: 'redis-flushall',
  about: 'Redis loses every key',
  recovery: 'nothing has to be done: gates are set anew from the ledger',
  fault: async ({ redis }) => {
    await redis.flushall();
  },
  twin: {
    without: 'ids of orders that are computed from store, user and request: each try draws another',
    env: wrapping('libs/contracts/order-id.js', 'orderId', 'drawn-order-id.js'),
  },
};
