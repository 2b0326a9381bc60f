import type { Sight } from './crowd-pool.js';

/** When what happened, in milliseconds since the epoch. */
export interface Times {
  saleAt: number;
  faultAt: number;
  /** When the fault was mended; where nobody does, when it had lasted. */
  healedAt: number;
  /** When the last person had an answer. */
  endedAt: number;
}

/** What the crowd saw of the fault. Milliseconds; null: it never came. */
export interface CrowdMeasures {
  /** From the fault to the first HELD that answers a request sent after it. */
  first_held_after_fault_ms: number | null;
  first_held_after_heal_ms: number | null;
  /** The longest time without a HELD, from the last one before the fault on. */
  longest_held_gap_ms: number | null;
  /** The same before the fault, for comparison. */
  gap_before_ms: number | null;
  /** Of HELD answers, from sending to hearing, by when they were sent. */
  p99_before_ms: number;
  p99_fault_ms: number;
  p99_after_ms: number;
  /** Answers from the fault on that said to come again. */
  sent_again: number;
}

/** What the answers say about a fault at those times. Pure. */
export function crowdMeasures(sights: readonly Sight[], times: Times): CrowdMeasures {
  const { faultAt, healedAt, saleAt } = times;
  const held = sights.filter(({ kind }) => kind === 'HELD').sort((a, b) => a.at - b.at);
  const between = (from: number, to: number): Sight[] => held.filter(({ sentAt }) => sentAt >= from && sentAt < to);
  const instants = held.map(({ at }) => at);
  return {
    first_held_after_fault_ms: firstAfter(held, faultAt),
    first_held_after_heal_ms: firstAfter(held, healedAt),
    longest_held_gap_ms: longestGap(instants, lastBefore(instants, faultAt) ?? faultAt, Number.POSITIVE_INFINITY),
    gap_before_ms: longestGap(instants, saleAt, faultAt),
    p99_before_ms: p99(between(saleAt, faultAt)),
    p99_fault_ms: p99(between(faultAt, healedAt)),
    p99_after_ms: p99(between(healedAt, Number.POSITIVE_INFINITY)),
    sent_again: sights.filter(({ kind, at }) => kind === 'AGAIN' && at >= faultAt).length,
  };
}

/** How often each reason was given from `from` on, the most frequent first. */
export function reasonsToSendAgain(sights: readonly Sight[], from: number): [why: string, times: number][] {
  const counts = new Map<string, number>();
  for (const { kind, at, why = '' } of sights) {
    if (kind === 'AGAIN' && at >= from) counts.set(why, (counts.get(why) ?? 0) + 1);
  }
  return [...counts].sort(([, a], [, b]) => b - a);
}

/** From `since` to the first of these answers to a request that was sent after it. */
function firstAfter(held: readonly Sight[], since: number): number | null {
  const first = held.find(({ sentAt }) => sentAt >= since);
  return first ? first.at - since : null;
}

function lastBefore(instants: readonly number[], limit: number): number | undefined {
  return instants.filter((at) => at < limit).at(-1);
}

/** Between two neighbours that both lie within the bounds; null when there are none. */
function longestGap(instants: readonly number[], from: number, to: number): number | null {
  const within = instants.filter((at) => at >= from && at <= to);
  const gaps = within.slice(1).map((at, index) => at - (within[index] ?? at));
  return gaps.length === 0 ? null : Math.max(...gaps);
}

/** Of the time from sending to hearing; 0 when there is none. */
export function p99(sights: readonly Pick<Sight, 'sentAt' | 'at'>[]): number {
  const sorted = sights.map(({ sentAt, at }) => at - sentAt).sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(0.99 * sorted.length))] ?? 0;
}
