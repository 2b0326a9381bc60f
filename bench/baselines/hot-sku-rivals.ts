import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import type { Pool } from 'pg';
import type { Claim } from '#libs/contracts/gen/holdfast/event/v1/claim.js';
import { type Statement, sqlFile } from '#libs/postgres/statement.js';
import { luaScript } from '#libs/redis/script.js';
import { inTransaction, onlyLine, run, tooFewFree, writeOrder } from './order-transaction.js';

const sql = (name: string): Statement => sqlFile(new URL(`./sql/${name}.sql`, import.meta.url));
const stockLock = sql('stock_lock');
const stockTake = sql('stock_take');
const stockSee = sql('stock_see');
const stockTakeVersion = sql('stock_take_version');
const lockRelease = luaScript(new URL('./lua/lock_release.lua', import.meta.url));

const versionRetries = 3;
/** Before the first retry at most; twice as long before each further one. */
const versionPauseMs = 50;
/** Longer than any transaction takes. */
const lockForMs = 10_000;
const lockPauseMs = { least: 20, most: 60 };
const lockPatienceMs = 30_000;

/** Somebody else changed the stock between the look and the update. */
class VersionChanged extends Error {}

/** The stock is locked, looked at, and updated; who comes meanwhile waits. Throws when too few units are free. */
export function sellForUpdate(pool: Pool, claim: Claim): Promise<boolean> {
  const { skuId, quantity } = onlyLine(claim);
  return inTransaction(pool, async (client) => {
    const [stock] = await run<{ free: number }>(client, stockLock, [skuId]);
    if (stock === undefined || stock.free < quantity) throw tooFewFree(claim);
    if (await writeOrder(client, claim)) await run(client, stockTake, [skuId, quantity]);
    return true;
  });
}

/**
 * Nothing is locked while it is looked at, and the update changes nothing when the version is another one by then. It
 * comes before the other rows, so that who comes too late has not written them in vain. False after three retries.
 */
export async function sellByVersion(pool: Pool, claim: Claim): Promise<boolean> {
  for (let retries = 0; ; retries += 1) {
    try {
      await takeVersion(pool, claim);
      return true;
    } catch (error) {
      if (!(error instanceof VersionChanged)) throw error;
      if (retries === versionRetries) return false;
      await pause(Math.random() * versionPauseMs * 2 ** retries);
    }
  }
}

function takeVersion(pool: Pool, claim: Claim): Promise<void> {
  const { skuId, quantity } = onlyLine(claim);
  return inTransaction(pool, async (client) => {
    const [seen] = await run<{ free: number; version: string }>(client, stockSee, [skuId]);
    if (seen === undefined || seen.free < quantity) throw tooFewFree(claim);
    const [taken] = await run(client, stockTakeVersion, [skuId, quantity, seen.version]);
    if (taken === undefined) throw new VersionChanged();
    if (!(await writeOrder(client, claim))) throw new Error(`order ${claim.orderId} is known`);
  });
}

/** One lock for each sku in Redis, and under it the transaction of sellForUpdate. False when the lock could not be had. */
export async function sellUnderLock(redis: Redis, pool: Pool, claim: Claim): Promise<boolean> {
  const key = `lock:{${onlyLine(claim).skuId}}`;
  const holder = randomUUID();
  const until = performance.now() + lockPatienceMs;
  while ((await redis.set(key, holder, 'PX', lockForMs, 'NX')) !== 'OK') {
    if (performance.now() > until) return false;
    await pause(lockPauseMs.least + Math.random() * (lockPauseMs.most - lockPauseMs.least));
  }
  try {
    return await sellForUpdate(pool, claim);
  } finally {
    await redis.eval(lockRelease.text, 1, key, holder);
  }
}
