import type { Pool } from 'pg';
import type { Claim } from '#libs/contracts/gen/holdfast/event/v1/claim.js';
import { sqlFile } from '#libs/postgres/statement.js';
import { inTransaction, onlyLine, run, tooFewFree, writeOrder } from './order-transaction.js';

const unitsCreate = sqlFile(new URL('./sql/units_create.sql', import.meta.url));
const unitsPut = sqlFile(new URL('./sql/units_put.sql', import.meta.url));
const unitTake = sqlFile(new URL('./sql/unit_take.sql', import.meta.url));

/** Makes the table of units, which stands in for the row of the stock. */
export async function createUnits(pool: Pool): Promise<void> {
  await pool.query(unitsCreate.text);
}

/** Adds units of a sku. */
export async function putUnits(pool: Pool, skuId: string, count: number): Promise<void> {
  await pool.query(unitsPut.text, [skuId, count]);
}

/** One unit is taken whose row nobody else has locked. Throws when there is none, which may be because others are still about to. */
export function sellUnitRow(pool: Pool, claim: Claim): Promise<boolean> {
  const { skuId } = onlyLine(claim);
  return inTransaction(pool, async (client) => {
    const [unit] = await run(client, unitTake, [skuId, claim.orderId]);
    if (unit === undefined) throw tooFewFree(claim);
    await writeOrder(client, claim);
    return true;
  });
}
