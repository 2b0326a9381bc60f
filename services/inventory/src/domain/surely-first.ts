/** No attempt has an effect longer after its arrival. */
export const LONGEST_ATTEMPT_MS = 3000;
/** How far the stream's clock may be off the ledger's. */
const STREAM_CLOCK_MS = 1000;
/** A try counts from its mark and arrives here within so long. */
const WAY_HERE_MS = 1000;

/** What is known of the time before a try. Each undefined: not known. */
export interface Before {
  /** For so long no other try of its order began that has a mark. */
  readonly firstForMs: number | undefined;
  /** For so long no try at all began without a mark. */
  readonly markedForMs: number;
  /** Age of the oldest message of its shard's stream; 0 when it is empty. */
  readonly oldestMs: number | undefined;
}

/**
 * Whether a try is surely the first of its order: every other one began so long ago that it has no effect any more, and
 * what it put into the stream has gone. Then a no is final without a row. See docs/adr/0011-a-no-without-a-row.md.
 */
export function isSurelyFirst({ firstForMs, markedForMs, oldestMs }: Before): boolean {
  if (firstForMs === undefined || oldestMs === undefined) return false;
  const aloneForMs = Math.min(firstForMs, markedForMs) - WAY_HERE_MS - LONGEST_ATTEMPT_MS - STREAM_CLOCK_MS;
  return aloneForMs > 0 && aloneForMs > oldestMs;
}
