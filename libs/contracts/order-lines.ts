import { hash } from 'node:crypto';

/** Units of one sku that one attendee shall have. */
export interface OrderLine {
  skuId: string;
  /** 1..1,000,000 */
  quantity: number;
  attendeeId: string;
}

/**
 * The one form that all ways of writing the same order have: lines summed by sku and attendee, sorted by the bytes of
 * both. Ids are taken to be well formed.
 */
export function canonicalLines(lines: readonly OrderLine[]): OrderLine[] {
  if (lines.length === 1) return [...lines];
  const sums = new Map<string, OrderLine>();
  for (const line of lines) {
    const key = pairKey(line);
    const sum = sums.get(key);
    sums.set(key, sum ? { ...sum, quantity: sum.quantity + line.quantity } : line);
  }
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, line]) => line);
}

/** SHA-256 over canonical lines: what tells whether an order id is used again for another order. */
export function linesHash(canonical: readonly OrderLine[]): Buffer {
  let text = '';
  for (const line of canonical) text += `${pairKey(line)} ${line.quantity}\n`;
  return hash('sha256', text, 'buffer');
}

/** Names a sku and an attendee. The space sorts before every character of an id, so keys sort like the pairs. */
export function pairKey({ skuId, attendeeId }: { skuId: string; attendeeId: string }): string {
  return `${skuId} ${attendeeId}`;
}
