import { type CancelOrderRequest, CancelOrderResponse } from '#libs/contracts/gen/holdfast/order/v1/order_service.js';
import type { OrderChange } from './change-order.js';
import { findOwnClaim } from './find-order.js';
import type { Peers } from './ports.js';
import { rowOf, rowOrClaim } from './row-or-claim.js';

/** Ends the user's order. One that is not decided yet cannot be ended: ORDER_PENDING. */
export function cancelOrder(peers: Peers): OrderChange<CancelOrderRequest, CancelOrderResponse> {
  return {
    method: 'CancelOrder',
    responseType: CancelOrderResponse,
    userOf: ({ userId }) => userId,
    isPaidByUser: true,
    meaningOf: ({ orderId, reason }) => [orderId, reason],
    async carryOut(request, caller) {
      const found = await rowOrClaim(
        request.orderId,
        () => peers.orders.cancel(request, caller),
        () => findOwnClaim(peers, request, caller),
      );
      return { order: rowOf(found) };
    },
  };
}
