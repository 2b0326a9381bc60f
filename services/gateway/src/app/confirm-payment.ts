import {
  type ConfirmPaymentRequest,
  ConfirmPaymentResponse,
} from '#libs/contracts/gen/holdfast/order/v1/order_service.js';
import type { OrderChange } from './change-order.js';
import type { Peers } from './ports.js';
import { rowOf, rowOrClaim } from './row-or-claim.js';

/** Records a captured payment. It is the provider's word, so it is bound to no user. ORDER_PENDING while undecided. */
export function confirmPayment({
  orders,
  inventory,
}: Peers): OrderChange<ConfirmPaymentRequest, ConfirmPaymentResponse> {
  return {
    method: 'ConfirmPayment',
    responseType: ConfirmPaymentResponse,
    userOf: ({ provider }) => provider,
    isPaidByUser: false,
    meaningOf: ({ orderId, provider, providerPaymentId, amountMinor, currency }) => [
      orderId,
      provider,
      providerPaymentId,
      amountMinor,
      currency,
    ],
    async carryOut(request, caller) {
      const found = await rowOrClaim(
        request.orderId,
        () => orders.confirmPayment(request, caller),
        () => inventory.findClaim(request.orderId, caller),
      );
      return rowOf(found);
    },
  };
}
