import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Drill } from '../drill.js';
import { rewriteFunction } from '../unsafe.js';

/** From the copy of Redis' data to its return: the scarce sku is sold out in between. */
const REWIND_MS = 3_000;

export const redisRewind: Drill = {
  name: 'redis-rewind',
  about: `Redis dies and comes back as it was ${REWIND_MS} ms ago`,
  recovery: 'nothing has to be done: gates are set anew from the ledger',
  fault: async ({ servers: { redis } }) => {
    const [now, then] = ['appendonlydir', 'appendonlydir.then'].map((name) => join(redis.directory, name));
    if (now === undefined || then === undefined) return;
    cpSync(now, then, { recursive: true });
    await pause(REWIND_MS);
    await redis.kill();
    rmSync(now, { recursive: true });
    cpSync(then, now, { recursive: true });
    await redis.start();
  },
  twin: {
    without: 'the ledger as the only truth: it believes whoever the gate let in',
    prepare: async (stage) => {
      await stage.sql('ALTER TABLE ledger.stock DROP CONSTRAINT stock_free_check');
      await rewriteFunction(stage, 'claims_admit', 'WHEN wanted > remaining[k] OR kept[k] THEN 8', 'WHEN false THEN 8');
    },
  },
};
