import { type ExtendHoldRequest, ExtendHoldResponse } from '#libs/contracts/gen/holdfast/order/v1/order_service.js';
import type { OrderChange } from './change-order.js';
import type { Peers } from './ports.js';
import { userChange } from './user-change.js';

/** Prolongs a hold. */
export function extendHold(peers: Peers): OrderChange<ExtendHoldRequest, ExtendHoldResponse> {
  return userChange(peers, {
    method: 'ExtendHold',
    responseType: ExtendHoldResponse,
    meaningOf: () => [],
    ask: (request, caller) => peers.orders.extendHold(request, caller),
  });
}
