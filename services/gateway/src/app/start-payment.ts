import { type StartPaymentRequest, StartPaymentResponse } from '#libs/contracts/gen/holdfast/order/v1/order_service.js';
import { CallerRole } from '#libs/contracts/gen/holdfast/order/v1/payment.js';
import type { OrderChange } from './change-order.js';
import type { Peers } from './ports.js';
import { type AskedByUser, userChange } from './user-change.js';

/** Gives the way to pay an order. The answer that is stored stands for 24 h: a new way to pay needs a new request_id. */
export function startPayment(peers: Peers): OrderChange<StartPaymentRequest & AskedByUser, StartPaymentResponse> {
  return userChange(peers, {
    method: 'StartPayment',
    responseType: StartPaymentResponse,
    meaningOf: () => [],
    ask: (request, caller) => peers.orders.startPayment(request, caller),
  });
}

/** Only the user of an order pays it. */
export const asUser = { role: CallerRole.CALLER_ROLE_USER } as const;
