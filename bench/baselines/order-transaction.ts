import type { Pool, PoolClient } from 'pg';
import type { Claim } from '#libs/contracts/gen/holdfast/event/v1/claim.js';
import { linesHash } from '#libs/contracts/order-lines.js';
import { type Statement, sqlFile } from '#libs/postgres/statement.js';

const sql = (name: string): Statement => sqlFile(new URL(`./sql/${name}.sql`, import.meta.url));
const orderInsert = sql('order_insert');
const orderLineInsert = sql('order_line_insert');
const movementInsert = sql('movement_insert');
const attendeeUnitsAdd = sql('attendee_units_add');
const outboxInsert = sql('outbox_insert');
const stockHold = sql('stock_hold');

/**
 * One order in one transaction with the rows that the ledger writes. The stock comes last, so that the row everybody
 * waits for is locked for no longer than its update and the commit. Throws when the order cannot be had.
 */
export async function insertOrder(pool: Pool, claim: Claim): Promise<void> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query('BEGIN');
    await writeRows(client, claim);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch((failure: Error) => {
      broken = failure;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}

async function writeRows(client: PoolClient, claim: Claim): Promise<void> {
  const { orderId, storeId, userId, requestId, lines } = claim;
  const [line] = lines;
  if (line === undefined || lines.length > 1) throw new Error(`order ${orderId} has ${lines.length} lines, not one`);
  const { skuId, attendeeId, quantity } = line;

  const hash = linesHash(lines);
  const [order] = await run(client, orderInsert, [orderId, storeId, userId, requestId, hash, skuId, quantity]);
  if (order === undefined) return; // A message that was delivered again.
  await run(client, orderLineInsert, [orderId, skuId, attendeeId, quantity]);
  await run(client, movementInsert, [orderId, skuId, quantity]);
  const [units] = await run(client, attendeeUnitsAdd, [skuId, attendeeId, quantity]);
  if (units === undefined) throw new Error(`attendee ${attendeeId} would have too many units of ${skuId}`);
  await run(client, outboxInsert, [orderId]);
  const [stock] = await run(client, stockHold, [skuId, quantity]);
  if (stock === undefined) throw new Error(`fewer than ${quantity} units of ${skuId} are free`);
}

async function run(
  client: PoolClient,
  { name, text }: Statement,
  values: unknown[],
): Promise<Record<string, unknown>[]> {
  const { rows } = await client.query<Record<string, unknown>>({ name, text, values });
  return rows;
}
