import type { Outcome } from './outcome.js';
import type { Scenario } from './scenario.js';

/** How many requests for one sku are let through. */
export interface RateLimit {
  perSecond: number;
  burst: number;
}

/** What a run tells of limits and lines. */
export interface LineFacts {
  /** Requests that ever had a place in line, and how often they were told so. */
  queued: number;
  queued_answers: number;
  people_ahead_max: number;
  /** Requests that stood in line to the end and heard neither yes nor no. */
  queued_at_end: number;
  /** Answers 429. */
  limited_answers: number;
  /** From the first word of a place to the answer. */
  line_p50_ms: number;
  line_p99_ms: number;
  line_max_ms: number;
  /** The most people by whom one person was overtaken. */
  overtaken_max: number;
  /** People who wanted only what is below its limit, and were held up all the same. */
  cold_held_up: number;
}

export function lineFactsOf(scenario: Scenario, outcomes: Outcome[], limit: RateLimit | undefined): LineFacts {
  const queued = outcomes.filter(({ passage }) => passage.timesQueued > 0);
  const waits = queued
    .flatMap(({ passage: { queuedAt, passedAt } }) => (queuedAt && passedAt ? [passedAt - queuedAt] : []))
    .sort((a, b) => a - b);
  const waitAt = (share: number): number => Math.round(waits[Math.floor(share * (waits.length - 1))] ?? 0);
  return {
    queued: queued.length,
    queued_answers: queued.reduce((sum, { passage }) => sum + passage.timesQueued, 0),
    people_ahead_max: Math.max(0, ...queued.map(({ passage }) => passage.mostAhead)),
    queued_at_end: outcomes.filter(({ answer }) => answer === 'QUEUED').length,
    limited_answers: outcomes.reduce((sum, { passage }) => sum + passage.limits.length, 0),
    line_p50_ms: waitAt(0.5),
    line_p99_ms: waitAt(0.99),
    line_max_ms: waitAt(1),
    overtaken_max: Math.max(0, ...scenario.skus.map(({ skuId }) => overtakenMost(wanting(skuId, outcomes)))),
    cold_held_up: limit === undefined ? 0 : coldHeldUp(scenario, outcomes, limit),
  };
}

/** So many may overtake one person: while somebody is on the way back, tokens fall due that others may take, a burst at most. */
export function overtakingAllowed({ burst }: RateLimit): number {
  return burst;
}

function wanting(skuId: string, outcomes: Outcome[]): Outcome[] {
  return outcomes.filter(({ lines }) => lines.some((line) => line.skuId === skuId));
}

/**
 * The rush sees when requests were sent and answered, not when they arrived and were let through; those happened in
 * between. So only what is sure is counted: B overtook A when B was first sent after A had been told of a place, and B
 * was told yes before A sent the try that was let through.
 */
function overtakenMost(outcomes: Outcome[]): number {
  const winners = outcomes.filter(({ answer }) => answer === 'HELD' || answer === 'PENDING');
  const counts = outcomes.map(({ passage: { queuedAt, passedSentAt } }) => {
    if (queuedAt === undefined || passedSentAt === undefined) return 0;
    return winners.filter(({ passage: { firstSentAt, passedAt = passedSentAt } }) => {
      return firstSentAt > queuedAt && passedAt < passedSentAt;
    }).length;
  });
  return Math.max(0, ...counts);
}

/** People all of whose skus stay below their limit, who met a line or a limit of a sku. */
function coldHeldUp({ skus }: Scenario, outcomes: Outcome[], limit: RateLimit): number {
  const cold = new Set(skus.map(({ skuId }) => skuId).filter((skuId) => isCold(wanting(skuId, outcomes), limit)));
  return outcomes.filter(
    ({ lines, passage }) =>
      lines.every(({ skuId }) => cold.has(skuId)) && (passage.timesQueued > 0 || passage.limits.includes('STORE_SKU')),
  ).length;
}

/** Whether a bucket of half the size would have had a token for each arrival: on the way some bunch together. */
function isCold(outcomes: Outcome[], { perSecond, burst }: RateLimit): boolean {
  if (outcomes.length <= burst) return true;
  let tokens = burst / 2;
  let last = 0;
  for (const at of outcomes.map(({ passage }) => passage.firstSentAt).sort((a, b) => a - b)) {
    tokens = Math.min(burst / 2, tokens + ((at - last) * perSecond) / 1_000) - 1;
    if (tokens < 0) return false;
    last = at;
  }
  return true;
}
