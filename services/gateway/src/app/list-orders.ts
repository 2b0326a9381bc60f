import type { ListOrdersRequest, ListOrdersResponse } from '#libs/contracts/gen/holdfast/order/v1/order_service.js';
import type { Principal } from '#libs/identity/principal.js';
import { Fault } from '#libs/refusal/fault.js';
import type { Caller, Orders } from './ports.js';

/**
 * A page of the caller's own orders; an operator's also of any user or sku, and staff's of those, what is of their stores:
 * the order service leaves the others out.
 */
export async function listOrders(
  orders: Orders,
  request: ListOrdersRequest,
  { asker, caller }: { asker: Pick<Principal, 'role' | 'userId'>; caller: Caller },
): Promise<ListOrdersResponse> {
  const seesOthers = asker.role === 'OPERATOR' || asker.role === 'STAFF';
  if (!seesOthers && request.userId !== asker.userId) {
    throw new Fault('PERMISSION_DENIED', 'You may list no orders but your own');
  }
  return orders.list(request, caller);
}
