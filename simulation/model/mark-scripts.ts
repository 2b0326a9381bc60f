import type { Mark, Redis } from './redis.js';

/** How long a mark stays with its try. */
const LEASE_MS = 10_000;
/** How long a gateway may be without a reply while the others rely on its marks. */
export const UNSEEN_MS = 500;

export interface Begin {
  readonly gateway: string;
  /** When the last reply that it has had was made. */
  readonly repliedAtMs: number;
  readonly markId: string;
  readonly fingerprint: string;
  readonly owner: number;
}

export type Begun =
  | { readonly kind: 'GO'; readonly firstForMs: number }
  | { readonly kind: 'IN_PROGRESS' | 'REUSED' }
  | { readonly kind: 'DONE'; readonly mark: Extract<Mark, { state: 'DONE' }>; readonly ageMs: number };

/** gateways.lua: since when a mark that is not there can not have been. */
export function marksKnownSince(redis: Redis, gateway: string, repliedAtMs: number): number {
  const { keys, nowMs, runId } = redis;
  const sinceMs = marksNotedSince(redis);
  const isNew = repliedAtMs === 0;
  keys.gateways.set(gateway, isNew ? nowMs : repliedAtMs);
  if (sinceMs !== undefined && !isNew && allKeepMarks(redis)) return sinceMs;
  keys.since = { runId, ms: nowMs };
  return nowMs;
}

function marksNotedSince({ keys: { since }, runId }: Redis): number | undefined {
  return since?.runId === runId ? since.ms : undefined;
}

function allKeepMarks({ keys, nowMs }: Redis): boolean {
  return keys.gateways.size > 0 && nowMs - Math.min(...keys.gateways.values()) <= UNSEEN_MS;
}

/** requests_begin.lua for one request; `madeAtMs`: when it ran. Nobody has a limit here, so nobody queues. */
export function requestsBegin(redis: Redis, begin: Begin): { madeAtMs: number; begun: Begun } {
  const { keys, nowMs } = redis;
  const sinceMs = marksKnownSince(redis, begin.gateway, begin.repliedAtMs);
  return { madeAtMs: nowMs, begun: begunOf(keys.marks.get(begin.markId)) };

  function begunOf(mark: Mark | undefined): Begun {
    const { fingerprint, owner, markId } = begin;
    if (mark && mark.fingerprint !== fingerprint) return { kind: 'REUSED' };
    if (mark?.state === 'DONE') return { kind: 'DONE', mark, ageMs: nowMs - mark.toldAtMs };
    const isFree = mark?.state !== 'EXECUTING' || mark.leaseUntilMs <= nowMs || mark.owner === owner;
    if (!isFree) return { kind: 'IN_PROGRESS' };
    keys.marks.set(markId, {
      state: 'EXECUTING',
      fingerprint,
      owner,
      leaseUntilMs: nowMs + LEASE_MS,
      sinceMs: mark ? Number.NaN : sinceMs,
    });
    return { kind: 'GO', firstForMs: mark ? 0 : Math.max(0, nowMs - sinceMs) };
  }
}

/** What was begun, for a trace. */
export function wordsOf(begun: Begun): string {
  if (begun.kind === 'GO')
    return begun.firstForMs === 0 ? 'GO, not the first' : `GO, none before for ${begun.firstForMs} ms`;
  return begun.kind === 'DONE' ? `DONE, ${begun.mark.outcome.kind}` : begun.kind;
}

export interface Change {
  readonly markId: string;
  readonly owner: number;
  /** 'S' store, 'N' store a no that may lack a row, 'A' the same asked again, 'F' forget, 'L' leave, 'B' born: see requests_end.lua. */
  readonly letter: 'S' | 'N' | 'A' | 'F' | 'L' | 'B';
  readonly outcome?: Extract<Mark, { state: 'DONE' }>['outcome'] | undefined;
}

/** requests_end.lua for one change; whether it had an effect. */
export function requestsEnd(redis: Redis, { markId, owner, letter, outcome }: Change): boolean {
  const { keys, nowMs } = redis;
  const mark = keys.marks.get(markId);
  if (!mark) return false;
  const { fingerprint } = mark;
  if (letter === 'B') {
    if (mark.state !== 'DONE' || mark.outcome.kind !== 'REFUSED') return false;
    keys.marks.set(markId, { state: 'TRIED', fingerprint });
    return true;
  }
  if (letter === 'A' && mark.state === 'DONE') return mark.outcome === outcome;
  if (mark.state !== 'EXECUTING' || mark.owner !== owner) return false;
  const allKeptMarks = allKeepMarks(redis) && marksNotedSince(redis) === mark.sinceMs;
  if (letter === 'N' && !allKeptMarks) return false;
  if (letter === 'A' && !allKeptMarks) {
    keys.marks.set(markId, { state: 'TRIED', fingerprint });
    return false;
  }
  if (letter === 'F') keys.marks.delete(markId);
  else if (letter === 'L' || !outcome) keys.marks.set(markId, { state: 'TRIED', fingerprint });
  else keys.marks.set(markId, { state: 'DONE', fingerprint, outcome, toldAtMs: nowMs });
  return true;
}
