import type { ListOrdersRequest, ListOrdersResponse } from '#libs/contracts/gen/holdfast/order/v1/order_service.js';
import { Fault } from '#libs/refusal/fault.js';
import type { Caller, Orders } from './ports.js';

/** Who asks, and as what. */
export interface Identity {
  userId: string;
  isOperator: boolean;
}

/** A page of the caller's own orders; an operator's also of any user or sku. */
export async function listOrders(
  orders: Orders,
  request: ListOrdersRequest,
  { identity, caller }: { identity: Identity; caller: Caller },
): Promise<ListOrdersResponse> {
  if (!identity.isOperator && request.userId !== identity.userId) {
    throw new Fault('PERMISSION_DENIED', 'Only operators may list orders that are not their own');
  }
  return orders.list(request, caller);
}
