import { type CancelOrderRequest, CancelOrderResponse } from '#libs/contracts/gen/holdfast/order/v1/order_service.js';
import type { OrderChange } from './change-order.js';
import type { Peers } from './ports.js';
import { userChange } from './user-change.js';

/** Ends an order. One that is not decided yet cannot be ended: ORDER_PENDING. */
export function cancelOrder(peers: Peers): OrderChange<CancelOrderRequest, CancelOrderResponse> {
  return userChange(peers, {
    method: 'CancelOrder',
    responseType: CancelOrderResponse,
    meaningOf: ({ reason }) => [reason],
    ask: (request, caller) => peers.orders.cancel(request, caller),
  });
}
