import type { Claim } from '#libs/contracts/gen/holdfast/event/v1/claim.js';
import { type Order, OrderState } from '#libs/contracts/gen/holdfast/order/v1/order.js';

const holdMs = 900_000;

/** What a rival answers for an order that it has written. */
export function heldOrder({ orderId, storeId, userId, requestId, lines }: Claim): Order {
  const createdAt = new Date();
  return {
    ...{ orderId, storeId, userId, requestId, lines, createdAt },
    state: OrderState.ORDER_STATE_HELD,
    version: 1,
    amountMinor: 0,
    currency: 'EUR',
    expiresAt: new Date(createdAt.getTime() + holdMs),
    code: '',
    fulfilledAt: undefined,
    entryId: '',
    extendedAt: undefined,
    refusal: undefined,
  };
}
