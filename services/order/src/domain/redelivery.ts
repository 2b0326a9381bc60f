const firstDelayMs = 50;
const longestDelayMs = 1_000;

/**
 * How long an undecided message rests before it comes again. The count of deliveries lengthens the rest and decides
 * nothing else: a message is never given up.
 */
export function redeliveryDelayMs(deliveries: number): number {
  const doublings = Math.min(Math.max(deliveries - 1, 0), 10);
  return Math.min(longestDelayMs, firstDelayMs * 2 ** doublings);
}
