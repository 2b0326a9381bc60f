// Inventory as one would write it first: a unary call for each order and one script in Redis for each call.
// With an order service it also calls that for each order, which writes it; without, the units in Redis are all there is.
// A process of its own: `unary-inventory.js <Redis URL> [order's host:port]`; tells its parent its address once it serves.
import { Redis } from 'ioredis';
import type { PlaceHoldsItem, PlaceHoldsResult } from '#libs/contracts/gen/holdfast/inventory/v1/inventory_service.js';
import { LimitScope, type Refusal, RefusalReason } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import { luaScript } from '#libs/redis/script.js';
import { createOrderMethod } from './create-order-method.js';
import { heldOrder } from './held-order.js';
import { placeHoldMethod } from './place-hold-method.js';
import { loadTakeScript, takeByScript } from './take-by-script.js';
import { unaryClient } from './unary-client.js';
import { serveUnary } from './unary-server.js';

const unitsGive = luaScript(new URL('./lua/units_give.lua', import.meta.url));
const deadlineMs = 10_000;

const [redisUrl = '', orderAddress] = process.argv.slice(2);
const redis = new Redis(redisUrl);
await loadTakeScript(redis);
const createOrder = orderAddress === undefined ? undefined : unaryClient(orderAddress, createOrderMethod, deadlineMs);
process.once('disconnect', () => process.exit());
process.send?.(await serveUnary(placeHoldMethod, placeHold));

async function placeHold(hold: PlaceHoldsItem): Promise<PlaceHoldsResult> {
  const { itemId, orderId, lines } = hold;
  const [line] = lines;
  if (line === undefined || lines.length > 1) throw new Error(`order ${orderId} has ${lines.length} lines, not one`);
  const { skuId, quantity } = line;
  if (!(await takeByScript(redis, skuId, { orderId, quantity })))
    return { itemId, outcome: { $case: 'refused', value: soldOut(skuId) } };
  const order = heldOrder({ ...hold, notAfter: undefined });
  if (createOrder === undefined) return { itemId, outcome: { $case: 'held', value: order } };
  try {
    return await createOrder(hold, { 'holdfast-actor': hold.userId });
  } catch (error) {
    await redis.eval(unitsGive.text, 2, `sku:{${skuId}}`, `orders:{${skuId}}`, orderId);
    throw error;
  }
}

function soldOut(skuId: string): Refusal {
  return {
    reason: RefusalReason.REFUSAL_REASON_SOLD_OUT,
    skuId,
    free: 0,
    nextReleaseAt: undefined,
    opensAt: undefined,
    closedAt: undefined,
    slotPast: false,
    limit: 0,
    ownOrderId: '',
    scope: LimitScope.LIMIT_SCOPE_UNSPECIFIED,
  };
}
