import type { Order } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import type { Caller, Peers } from './ports.js';
import { rowOrClaim } from './row-or-claim.js';

/** The user's order, PENDING when it has no row yet. Another user's is not found. */
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

/** The undecided claim, to its own user only. */
export async function findOwnClaim(peers: Peers, order: OwnedOrder, caller: Caller): Promise<Order | undefined> {
  const claim = await peers.inventory.findClaim(order.orderId, caller);
  return claim?.userId === order.userId ? claim : undefined;
}
