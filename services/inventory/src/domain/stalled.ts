/** So long a claim waits in the stream, and nothing is heard of its shard, before nobody seems to decide. */
const STALLED_AFTER_MS = 500;
/** A claim that was stored so much later has been decided: nobody has this one in hand any more. */
const OVERTAKEN_BY_MS = 1000;

/** What is known of the claims of one shard that the stream has. Instants in milliseconds of one clock. */
export interface ShardNews {
  /** Since when the one that waits longest does. */
  readonly waitingSinceMs: number;
  /** When a decision about the shard was last heard or read, or its consumers gave another sign of life. */
  readonly lastNewsAtMs: number;
  /** When the ledger was last asked for those who wait, knew nothing, and said so promptly. */
  readonly unknownAtMs: number;
  /** Since when this process has been looking without a pause: one that was held up has news that it has not read. */
  readonly lookingSinceMs: number;
}

/**
 * Whether nobody decides. A ledger that is away or slow keeps deciders from deciding: then it is not asked to do their
 * work besides. While decisions come, however late, there is a backlog and no stall.
 */
export function isStalled(news: ShardNews, nowMs: number): boolean {
  const { waitingSinceMs, lastNewsAtMs, unknownAtMs, lookingSinceMs } = news;
  const sinceMs = Math.max(waitingSinceMs, lastNewsAtMs, lookingSinceMs);
  return nowMs - sinceMs >= STALLED_AFTER_MS && unknownAtMs > sinceMs;
}

/** Whether a claim was passed over: one stored a second later, at `decidedMs`, has been decided. */
export function isOvertaken(storedMs: number, decidedMs: number): boolean {
  return decidedMs - storedMs >= OVERTAKEN_BY_MS;
}
