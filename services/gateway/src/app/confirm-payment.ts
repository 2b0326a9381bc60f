import {
  type ConfirmPaymentRequest,
  ConfirmPaymentResponse,
} from '#libs/contracts/gen/holdfast/order/v1/order_service.js';
import type { OrderChange } from './change-order.js';
import type { Orders } from './ports.js';

/**
 * Records a captured payment. It is the provider's word, so it is bound to no user, and it is recorded whether or not its
 * order has a row: money without an order waits for it.
 */
export function confirmPayment(orders: Orders): OrderChange<ConfirmPaymentRequest, ConfirmPaymentResponse> {
  return {
    method: 'ConfirmPayment',
    responseType: ConfirmPaymentResponse,
    userOf: ({ provider }) => provider,
    isPaidByUser: false,
    meaningOf: ({ orderId, provider, providerPaymentId, amountMinor, currency, attempt, capturedAt }) => [
      orderId,
      provider,
      providerPaymentId,
      amountMinor,
      currency,
      attempt ?? 0,
      capturedAt?.getTime() ?? 0,
    ],
    carryOut: (request, caller) => orders.confirmPayment(request, caller),
  };
}
