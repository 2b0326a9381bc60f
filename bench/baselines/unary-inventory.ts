// Inventory as one would write it first: a unary call for each order and one script in Redis for each call.
// A process of its own: `unary-inventory.js <Redis URL>`; tells its parent its address once it serves.
import { Redis } from 'ioredis';
import type { PlaceHoldsItem, PlaceHoldsResult } from '#libs/contracts/gen/holdfast/inventory/v1/inventory_service.js';
import {
  LimitScope,
  type Order,
  OrderState,
  type Refusal,
  RefusalReason,
} from '#libs/contracts/gen/holdfast/order/v1/order.js';
import { luaScript } from '#libs/redis/script.js';
import { placeHoldMethod } from './place-hold-method.js';
import { serveUnary } from './unary-server.js';

const unitsTake = luaScript(new URL('./lua/units_take.lua', import.meta.url));
const holdMs = 900_000;

const [redisUrl = ''] = process.argv.slice(2);
const redis = new Redis(redisUrl);
await redis.script('LOAD', unitsTake.text);
process.once('disconnect', () => process.exit());
process.send?.(await serveUnary(placeHoldMethod, placeHold));

async function placeHold(hold: PlaceHoldsItem): Promise<PlaceHoldsResult> {
  const { itemId, orderId, lines } = hold;
  const [line] = lines;
  if (line === undefined || lines.length > 1) throw new Error(`order ${orderId} has ${lines.length} lines, not one`);
  const keys = [`sku:{${line.skuId}}`, `orders:{${line.skuId}}`];
  const taken = await redis.evalsha(unitsTake.sha, keys.length, ...keys, orderId, line.quantity);
  if (taken === 1) return { itemId, outcome: { $case: 'held', value: orderOf(hold) } };
  return { itemId, outcome: { $case: 'refused', value: soldOut(line.skuId) } };
}

function orderOf({ orderId, storeId, userId, requestId, lines }: PlaceHoldsItem): Order {
  const createdAt = new Date();
  return {
    orderId,
    storeId,
    userId,
    requestId,
    state: OrderState.ORDER_STATE_HELD,
    version: 1,
    lines,
    amountMinor: 0,
    currency: 'EUR',
    createdAt,
    expiresAt: new Date(createdAt.getTime() + holdMs),
    code: '',
    fulfilledAt: undefined,
    entryId: '',
    extendedAt: undefined,
    refusal: undefined,
  };
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
