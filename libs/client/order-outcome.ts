import type { Order, Refusal } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import type { Fault } from '#libs/refusal/fault.js';
import { type OrderStateName, orderStateName, type RefusalName, refusalName } from './names.js';

/** What an order has come to, by the state that it was seen in last. */
export type OrderOutcome =
  | { kind: Exclude<OrderStateName, 'REFUSED'> | 'UNKNOWN'; order: Order }
  /** A promise that ended as a no; `refusal` has its facts. */
  | { kind: 'REFUSED'; order: Order; reason: RefusalName | 'UNKNOWN'; refusal: Refusal | undefined }
  /** The time was over and nobody could tell anything of the order. `fault` is the last that was heard. */
  | { kind: 'UNDECIDED'; fault: Fault };

/** The outcome that an order is now. */
export function outcomeOfOrder(order: Order): OrderOutcome {
  const kind = orderStateName(order.state);
  if (kind !== 'REFUSED') return { kind, order };
  const { refusal } = order;
  return { kind, order, reason: refusal ? refusalName(refusal.reason) : 'UNKNOWN', refusal };
}
