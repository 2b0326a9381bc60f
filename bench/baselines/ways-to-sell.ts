import type { Redis } from 'ioredis';
import { Pool } from 'pg';
import type { Claim } from '#libs/contracts/gen/holdfast/event/v1/claim.js';
import { sellByVersion, sellForUpdate, sellUnderLock } from './hot-sku-rivals.js';
import { insertOrder } from './order-transaction.js';
import { createUnits, putUnits, sellUnitRow } from './sell-unit-rows.js';
import { dropStockChecks, sellUnlocked } from './sell-unlocked.js';

/** A way of selling that is open on one ledger. */
export interface Seller {
  /** False: it gave up. Rejects when nothing is left, and with what should not be. */
  sell(claim: Claim): Promise<boolean>;
  close(): Promise<unknown>;
}

/** A way of selling the units of one sku on Postgres. */
export interface WayToSell {
  name: string;
  /** How much it can do: so that it takes no longer than the others. */
  pace: 'fast' | 'slow';
  /** Opens it on a ledger in which the sku has so many units. */
  open(databaseUrl: string, skuId: string, units: number): Promise<Seller>;
  /** What its user should know. */
  note: string;
  /** Absent: the ledger's laws must hold. `none`: it breaks them; `units`: it keeps no row of the stock. */
  laws?: 'none' | 'units';
}

/** What people would use. */
export function waysToSell(redis: Redis): WayToSell[] {
  return [
    {
      ...{ name: 'conditional update, pool of 64', pace: 'fast' },
      open: pooled(64, async (pool, claim) => {
        await insertOrder(pool, claim);
        return true;
      }),
      note: 'a commit an order, one after the other; the pool waits for the row, and others wait for the pool',
    },
    {
      ...{ name: 'SELECT FOR UPDATE, pool of 20', pace: 'slow' },
      open: pooled(20, sellForUpdate),
      note: 'the row is locked from the first look to the commit',
    },
    {
      ...{ name: 'version column, three retries', pace: 'slow' },
      open: pooled(20, sellByVersion),
      note: 'gives up though there is enough, the more the more come at once',
    },
    {
      ...{ name: 'lock in Redis around FOR UPDATE', pace: 'slow' },
      open: pooled(20, (pool, claim) => sellUnderLock(redis, pool, claim)),
      note: 'a lock that runs out guards nothing, and who has it dies with it; the row lock does the work',
    },
    {
      ...{ name: 'a row a unit, SKIP LOCKED', pace: 'fast', laws: 'units' },
      open: pooled(20, sellUnitRow, async (pool, skuId, units) => {
        await createUnits(pool);
        await putUnits(pool, skuId, units);
      }),
      note: 'no hot row; says no while the last units are merely locked, and capacity is rows to add and to remove',
    },
    {
      ...{ name: 'select, then update', pace: 'fast', laws: 'none' },
      open: pooled(20, sellUnlocked, dropStockChecks),
      note: 'sells units twice',
    },
  ];
}

function pooled(
  max: number,
  sell: (pool: Pool, claim: Claim) => Promise<boolean>,
  prepare?: (pool: Pool, skuId: string, units: number) => Promise<void>,
): WayToSell['open'] {
  return async (connectionString, skuId, units) => {
    const pool = new Pool({ connectionString, max });
    await prepare?.(pool, skuId, units);
    return { sell: (claim) => sell(pool, claim), close: () => pool.end() };
  };
}
