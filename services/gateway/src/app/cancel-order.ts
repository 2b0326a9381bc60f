import type { Order } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import type { CancelOrderRequest } from '#libs/contracts/gen/holdfast/order/v1/order_service.js';
import { findOwnClaim } from './find-order.js';
import type { Caller, Peers } from './ports.js';
import { rowOf, rowOrClaim } from './row-or-claim.js';

/** Ends the user's order. One that is not decided yet cannot be ended: ORDER_PENDING. */
export async function cancelOrder(peers: Peers, request: CancelOrderRequest, caller: Caller): Promise<Order> {
  const found = await rowOrClaim(
    request.orderId,
    () => peers.orders.cancel(request, caller),
    () => findOwnClaim(peers, request, caller),
  );
  return rowOf(found);
}
