import type { Drill } from '../drill.js';
import { asOperator } from '../operator.js';

export const redisKill: Drill = {
  name: 'redis-kill',
  about: 'Redis is killed',
  recovery: 'Redis is started again, with its data',
  fault: ({ servers }) => servers.redis.kill(),
  heal: ({ servers }) => servers.redis.start(),
  twin: {
    without: 'the way round the gate: the stock path is switched to REDIS, whatever happens to it',
    prepare: (stage) => asOperator(stage, (operator) => operator.switchTo('REDIS')),
  },
};
