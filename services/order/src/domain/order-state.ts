import type { OrderState } from '#libs/ledger/rows.js';

const finalStates: ReadonlySet<OrderState> = new Set<OrderState>(['FULFILLED', 'CANCELLED', 'EXPIRED', 'REFUSED']);

/** Whether nothing but late money can change the order any more. */
export function isFinal(state: OrderState): boolean {
  return finalStates.has(state);
}
