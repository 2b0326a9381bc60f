import type { Pool } from 'pg';
import type { Claim } from '#libs/contracts/gen/holdfast/event/v1/claim.js';
import { sqlFile } from '#libs/postgres/statement.js';
import { inTransaction, onlyLine, run, tooFewFree, writeOrder } from './order-transaction.js';

const stockSee = sqlFile(new URL('./sql/stock_see.sql', import.meta.url));
const stockWrite = sqlFile(new URL('./sql/stock_write.sql', import.meta.url));
const stockChecksDrop = sqlFile(new URL('./sql/stock_checks_drop.sql', import.meta.url));

/** The stock is looked at, and what was seen less what is taken is written back. Whoever looked meanwhile saw the same. */
export function sellUnlocked(pool: Pool, claim: Claim): Promise<boolean> {
  const { skuId, quantity } = onlyLine(claim);
  return inTransaction(pool, async (client) => {
    const [seen] = await run<{ free: number }>(client, stockSee, [skuId]);
    if (seen === undefined || seen.free < quantity) throw tooFewFree(claim);
    if (await writeOrder(client, claim)) await run(client, stockWrite, [skuId, seen.free - quantity, quantity]);
    return true;
  });
}

/** The ledger's own checks would not let it. */
export async function dropStockChecks(pool: Pool): Promise<void> {
  await pool.query(stockChecksDrop.text);
}
