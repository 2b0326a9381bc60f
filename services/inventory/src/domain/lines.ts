/** What one line of an order asks for. `quantity` is in units. */
export interface Line {
  readonly skuId: string;
  readonly quantity: number;
  readonly attendeeId: string;
}

/** Whether two orders ask for the same, whatever the order of their lines and however they are split. */
export function sameLines(a: readonly Line[], b: readonly Line[]): boolean {
  const [first, second] = [a[0], b[0]];
  if (a.length === 1 && b.length === 1 && first && second) {
    return first.skuId === second.skuId && first.attendeeId === second.attendeeId && first.quantity === second.quantity;
  }
  return canonical(a) === canonical(b);
}

function canonical(lines: readonly Line[]): string {
  const sums = new Map<string, number>();
  for (const { skuId, attendeeId, quantity } of lines) {
    const key = `${skuId}\n${attendeeId}`;
    sums.set(key, (sums.get(key) ?? 0) + quantity);
  }
  return [...sums]
    .map(([key, quantity]) => `${key}\n${quantity}`)
    .sort()
    .join('\n\n');
}

/** Whether the gate and the ledger would look at such lines at all. Callers have told their users why before. */
export function isPlaceable(lines: readonly Line[]): boolean {
  if (lines.length < 1 || lines.length > 100) return false;
  return lines.every(({ quantity }) => Number.isInteger(quantity) && quantity >= 1 && quantity <= 1_000_000);
}
