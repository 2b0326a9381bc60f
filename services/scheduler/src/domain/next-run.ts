/** How long a job rests at least and at most, in milliseconds. */
export interface Rest {
  readonly leastMs: number;
  readonly mostMs: number;
}

/** Milliseconds until `dueAt`, held within the rest; without a due time the longest. Both instants are the ledger's. */
export function restUntil(dueAt: Date | undefined, now: Date, { leastMs, mostMs }: Rest): number {
  if (!dueAt) return mostMs;
  return Math.min(Math.max(dueAt.getTime() - now.getTime(), leastMs), mostMs);
}

/** Somewhere in the upper half of `ms`, so that instances that failed together do not come back together. */
export function jittered(ms: number, random: number): number {
  return Math.round(ms * (0.5 + random / 2));
}

/**
 * The rest, ended a little earlier where it can end on a whole second of `nowMs`: then what rests alike is due together.
 * It loses half of itself at most.
 */
export function toWholeSecond(restMs: number, nowMs: number): number {
  const overMs = (nowMs + restMs) % 1_000;
  return overMs <= restMs / 2 ? restMs - overMs : restMs;
}
