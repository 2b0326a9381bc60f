import { claimStreams } from '../claim-streams.js';
import type { Drill } from '../drill.js';
import { wrapping } from '../unsafe.js';

/** So few that claims wait in the stream, and callers are told PENDING, when it is deleted. */
const SLOW_CONSUMERS = '25';

export const natsStreamDeleted: Drill = {
  name: 'nats-stream-deleted',
  about: 'every stream of claims is deleted, with the claims that wait in it',
  recovery: 'nothing has to be done: consumers make their streams anew, the journal has what was promised',
  env: { CONSUME_PER_SECOND: SLOW_CONSUMERS },
  plan: { beforeMs: 4_000 },
  fault: async (stage) => {
    for (const name of claimStreams) await stage.streams.streams.delete(name);
  },
  twin: {
    without: 'the journal of what was promised: only the stream knows it',
    env: wrapping('services/inventory/src/adapters/redis-gate.js', 'RedisGate', 'forgetful-gate.js'),
  },
};
