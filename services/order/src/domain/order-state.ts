const finalStates: ReadonlySet<string> = new Set(['FULFILLED', 'CANCELLED', 'EXPIRED', 'REFUSED']);

/** Whether nothing but late money can change the order any more. */
export function isFinal(state: string): boolean {
  return finalStates.has(state);
}
