import type { Drill } from '../drill.js';
import { natsKill } from './nats-kill.js';
import { postgresSlow } from './postgres-slow.js';
import { processKills } from './process-kill.js';
import { redisKill } from './redis-kill.js';

/** Every drill, in the order in which `all` runs them. */
export const DRILLS: readonly Drill[] = [redisKill, natsKill, postgresSlow, ...processKills];
