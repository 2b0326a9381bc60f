import type { Drill } from '../drill.js';
import { keepLocked, letGo } from './held-lock.js';

export const postgresPoolExhausted: Drill = {
  name: 'postgres-pool-exhausted',
  about: 'somebody keeps the whole stock locked: every connection of every pool ends up waiting',
  recovery: 'the lock is let go',
  plan: { faultMs: 3_000 },
  fault: (stage) => keepLocked(stage, 'LOCK TABLE ledger.stock IN ACCESS EXCLUSIVE MODE'),
  heal: letGo,
};
