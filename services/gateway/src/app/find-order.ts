import type { Order } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import type { Principal } from '#libs/identity/principal.js';
import type { Caller, Peers } from './ports.js';
import { rowOrClaim } from './row-or-claim.js';

/** The order, PENDING when it has no row yet. What the caller may not see is not found. */
export async function findOrder(peers: Peers, order: OwnedOrder, caller: Caller): Promise<Order> {
  const found = await rowOrClaim(
    order.orderId,
    () => peers.orders.find(order, caller),
    () => findOwnClaim(peers, order, caller),
  );
  return 'row' in found ? found.row : found.claim;
}

export interface OwnedOrder {
  orderId: string;
  userId: string;
}

/** The undecided claim, to its own user, staff of its store and operators. */
export async function findOwnClaim(peers: Peers, order: OwnedOrder, caller: Caller): Promise<Order | undefined> {
  const claim = await peers.inventory.findClaim(order.orderId, caller);
  return claim !== undefined && isKnownTo(claim, order.userId, caller.principal) ? claim : undefined;
}

function isKnownTo(claim: Order, userId: string, principal: Principal | undefined): boolean {
  if (principal?.role === 'OPERATOR') return true;
  if (principal?.role === 'STAFF') return principal.stores.includes(claim.storeId);
  return claim.userId === userId;
}
