import {
  type CancelOrderLinesRequest,
  CancelOrderLinesResponse,
} from '#libs/contracts/gen/holdfast/order/v1/order_service.js';
import type { OrderChange } from './change-order.js';
import type { Peers } from './ports.js';
import { userChange } from './user-change.js';

/** Takes lines out of an order. */
export function cancelOrderLines(peers: Peers): OrderChange<CancelOrderLinesRequest, CancelOrderLinesResponse> {
  return userChange(peers, {
    method: 'CancelOrderLines',
    responseType: CancelOrderLinesResponse,
    meaningOf: ({ lines, reason }) => {
      const each = lines.flatMap(({ skuId, attendeeId, quantity }) => [skuId, attendeeId, quantity]);
      return [reason, lines.length, ...each];
    },
    ask: (request, caller) => peers.orders.cancelLines(request, caller),
  });
}
