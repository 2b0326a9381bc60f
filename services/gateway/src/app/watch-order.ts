import { setTimeout as pause } from 'node:timers/promises';
import { type Order, OrderState } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import { findOrder, type OwnedOrder } from './find-order.js';
import type { Caller, Peers } from './ports.js';

/** How often a claim is asked about. It is decided within seconds, and nobody else tells this process. */
const askAgainMs = 250;

/** The order now and after each change, until its state is final; PENDING first when it has no row yet. */
export async function* watchOrder(peers: Peers, order: OwnedOrder, caller: Caller): AsyncGenerator<Order> {
  let now = await findOrder(peers, order, caller);
  if (now.state === OrderState.ORDER_STATE_PENDING) yield now;
  while (now.state === OrderState.ORDER_STATE_PENDING) {
    await pause(askAgainMs, undefined, { signal: caller.signal });
    now = await findOrder(peers, order, caller);
  }
  // Who found it may see it; whose it is never changes.
  yield* peers.orders.watch({ ...order, userId: now.userId }, caller);
}
