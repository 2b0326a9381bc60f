// The order service as one would write it first: a unary call and a transaction for each order.
// A process of its own: `unary-order.js <database URL>`; tells its parent its address once it serves.
import { Pool } from 'pg';
import type { PlaceHoldsItem, PlaceHoldsResult } from '#libs/contracts/gen/holdfast/inventory/v1/inventory_service.js';
import { createOrderMethod } from './create-order-method.js';
import { heldOrder } from './held-order.js';
import { insertOrder } from './order-transaction.js';
import { serveUnary } from './unary-server.js';

const poolSize = 20;

const [databaseUrl = ''] = process.argv.slice(2);
const pool = new Pool({ connectionString: databaseUrl, max: poolSize });
process.once('disconnect', () => process.exit());
process.send?.(await serveUnary(createOrderMethod, createOrder));

async function createOrder(hold: PlaceHoldsItem): Promise<PlaceHoldsResult> {
  const claim = { ...hold, notAfter: undefined };
  await insertOrder(pool, claim);
  return { itemId: hold.itemId, outcome: { $case: 'held', value: heldOrder(claim) } };
}
