import type { Pool, PoolClient } from 'pg';
import type { Claim } from '#libs/contracts/gen/holdfast/event/v1/claim.js';
import { linesHash, type OrderLine } from '#libs/contracts/order-lines.js';
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
export function insertOrder(pool: Pool, claim: Claim): Promise<void> {
  return inTransaction(pool, async (client) => {
    if (!(await writeOrder(client, claim))) return;
    const { skuId, quantity } = onlyLine(claim);
    const [stock] = await run(client, stockHold, [skuId, quantity]);
    if (stock === undefined) throw tooFewFree(claim);
  });
}

/** Runs `work` in one transaction; what it throws undoes everything. */
export async function inTransaction<Result>(pool: Pool, work: (client: PoolClient) => Promise<Result>) {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch((failure: Error) => {
      broken = failure;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}

/** All rows of an order but the stock's. False when the order is known: a message that was delivered again. */
export async function writeOrder(client: PoolClient, claim: Claim): Promise<boolean> {
  const { orderId, storeId, userId, requestId, lines } = claim;
  const { skuId, attendeeId, quantity } = onlyLine(claim);
  const hash = linesHash(lines);
  const [order] = await run(client, orderInsert, [orderId, storeId, userId, requestId, hash, skuId, quantity]);
  if (order === undefined) return false;
  await run(client, orderLineInsert, [orderId, skuId, attendeeId, quantity]);
  await run(client, movementInsert, [orderId, skuId, quantity]);
  const [units] = await run(client, attendeeUnitsAdd, [skuId, attendeeId, quantity]);
  if (units === undefined) throw new Error(`attendee ${attendeeId} would have too many units of ${skuId}`);
  await run(client, outboxInsert, [orderId]);
  return true;
}

export async function run<Row extends object>(
  client: PoolClient,
  { name, text }: Statement,
  values: unknown[],
): Promise<Row[]> {
  const { rows } = await client.query<Row>({ name, text, values });
  return rows;
}

export function onlyLine({ orderId, lines }: Claim): OrderLine {
  const [line] = lines;
  if (line === undefined || lines.length > 1) throw new Error(`order ${orderId} has ${lines.length} lines, not one`);
  return line;
}

export function tooFewFree(claim: Claim): Error {
  const { skuId, quantity } = onlyLine(claim);
  return new Error(`fewer than ${quantity} units of ${skuId} are free`);
}
