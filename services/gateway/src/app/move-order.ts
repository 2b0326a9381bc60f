import { type MoveOrderRequest, MoveOrderResponse } from '#libs/contracts/gen/holdfast/order/v1/order_service.js';
import type { OrderChange } from './change-order.js';
import type { Peers } from './ports.js';
import { userChange } from './user-change.js';

/** Moves an order to another sku, or is told why not. */
export function moveOrder(peers: Peers): OrderChange<MoveOrderRequest, MoveOrderResponse> {
  return userChange(peers, {
    method: 'MoveOrder',
    responseType: MoveOrderResponse,
    meaningOf: ({ fromSkuId, toSkuId }) => [fromSkuId, toSkuId],
    ask: (request, caller) => peers.orders.move(request, caller),
  });
}
