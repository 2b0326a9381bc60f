import { type RecordRefundRequest, RecordRefundResponse } from '#libs/contracts/gen/holdfast/order/v1/order_service.js';
import type { OrderChange } from './change-order.js';
import type { Orders } from './ports.js';

/** Records that the provider gave money back. The payment says whose it was, whether or not its order has a row. */
export function recordRefund(orders: Orders): OrderChange<RecordRefundRequest, RecordRefundResponse> {
  return {
    method: 'RecordRefund',
    responseType: RecordRefundResponse,
    userOf: ({ provider }) => provider,
    isPaidByUser: false,
    meaningOf: ({ orderId, providerPaymentId, refundId, amountMinor, currency }) => [
      orderId,
      providerPaymentId,
      refundId,
      amountMinor,
      currency,
    ],
    carryOut: (request, caller) => orders.recordRefund(request, caller),
  };
}
