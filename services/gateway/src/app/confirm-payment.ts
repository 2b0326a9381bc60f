import type {
  ConfirmPaymentRequest,
  ConfirmPaymentResponse,
} from '#libs/contracts/gen/holdfast/order/v1/order_service.js';
import type { Caller, Peers } from './ports.js';
import { rowOf, rowOrClaim } from './row-or-claim.js';

/** Records a captured payment. It is the provider's word, so it is bound to no user. ORDER_PENDING while undecided. */
export async function confirmPayment(
  { orders, inventory }: Peers,
  request: ConfirmPaymentRequest,
  caller: Caller,
): Promise<ConfirmPaymentResponse> {
  const found = await rowOrClaim(
    request.orderId,
    () => orders.confirmPayment(request, caller),
    () => inventory.findClaim(request.orderId, caller),
  );
  return rowOf(found);
}
