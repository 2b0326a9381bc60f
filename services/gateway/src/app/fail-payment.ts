import { type FailPaymentRequest, FailPaymentResponse } from '#libs/contracts/gen/holdfast/order/v1/order_service.js';
import type { OrderChange } from './change-order.js';
import type { Peers } from './ports.js';
import { rowOf, rowOrClaim } from './row-or-claim.js';

/** Records that no money came. It is the provider's word, so it is bound to no user. */
export function failPayment({ orders, inventory }: Peers): OrderChange<FailPaymentRequest, FailPaymentResponse> {
  return {
    method: 'FailPayment',
    responseType: FailPaymentResponse,
    userOf: ({ provider }) => provider,
    isPaidByUser: false,
    meaningOf: ({ orderId, providerPaymentId, sessionId, attempt, why }) => [
      orderId,
      providerPaymentId,
      sessionId,
      attempt,
      why,
    ],
    async carryOut(request, caller) {
      const found = await rowOrClaim(
        request.orderId,
        () => orders.failPayment(request, caller),
        () => inventory.findClaim(request.orderId, caller),
      );
      return rowOf(found);
    },
  };
}
