import type { Drill } from '../drill.js';
import { HOTTEST } from '../sale-plan.js';
import { keepLocked, letGo } from './held-lock.js';

export const postgresLockedRow: Drill = {
  name: 'postgres-locked-row',
  about: `somebody keeps the stock of ${HOTTEST} locked`,
  recovery: 'the lock is let go',
  fault: (stage) => keepLocked(stage, `SELECT FROM ledger.stock WHERE sku_id = '${HOTTEST}' FOR UPDATE`),
  heal: letGo,
};
