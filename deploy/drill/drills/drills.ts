import type { Drill } from '../drill.js';
import { allAtOnce } from './all-at-once.js';
import { limitsStopBleeding } from './limits-stop-bleeding.js';
import { natsAckLost } from './nats-ack-lost.js';
import { natsFreeze } from './nats-freeze.js';
import { natsKill } from './nats-kill.js';
import { natsStreamDeleted } from './nats-stream-deleted.js';
import { natsStreamFull } from './nats-stream-full.js';
import { postgresKill } from './postgres-kill.js';
import { postgresLockedRow } from './postgres-locked-row.js';
import { postgresPoolExhausted } from './postgres-pool-exhausted.js';
import { postgresSlow } from './postgres-slow.js';
import { processKills } from './process-kill.js';
import { redisEvict } from './redis-evict.js';
import { redisFlushall } from './redis-flushall.js';
import { redisFreeze } from './redis-freeze.js';
import { redisKill } from './redis-kill.js';
import { redisLongAway } from './redis-long-away.js';
import { redisReadonly } from './redis-readonly.js';
import { redisReplyLost } from './redis-reply-lost.js';
import { redisRewind } from './redis-rewind.js';
import { redisSlow } from './redis-slow.js';
import { rollingRestart } from './rolling-restart.js';
import { schedulerAway } from './scheduler-away.js';
import { switchFlapping } from './switch-flapping.js';

/** Every drill, in the order in which `all` runs them. */
export const DRILLS: readonly Drill[] = [
  ...[redisKill, redisFreeze, redisSlow, redisReplyLost, redisFlushall, redisRewind, redisReadonly, redisEvict],
  redisLongAway,
  ...[natsKill, natsFreeze, natsAckLost, natsStreamDeleted, natsStreamFull],
  ...[postgresKill, postgresSlow, postgresLockedRow, postgresPoolExhausted],
  ...[...processKills, rollingRestart, schedulerAway],
  ...[switchFlapping, limitsStopBleeding, allAtOnce],
];
