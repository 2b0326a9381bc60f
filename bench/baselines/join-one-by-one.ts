import type { Pool } from 'pg';
import type { Claim } from '#libs/contracts/gen/holdfast/event/v1/claim.js';
import { linesHash } from '#libs/contracts/order-lines.js';
import { sqlFile } from '#libs/postgres/statement.js';
import { onlyLine } from './order-transaction.js';

const waitlistJoin = sqlFile(new URL('./sql/waitlist_join.sql', import.meta.url));

/** One place in line in one transaction of one statement, with the rows that the ledger writes. False when there is none to have. */
export async function joinOneByOne(pool: Pool, claim: Claim): Promise<boolean> {
  const { orderId, storeId, userId, requestId, lines } = claim;
  const { skuId, attendeeId, quantity } = onlyLine(claim);
  const values = [orderId, storeId, skuId, userId, requestId, linesHash(lines), attendeeId, quantity];
  const { rows } = await pool.query({ ...waitlistJoin, values });
  return rows.length > 0;
}
