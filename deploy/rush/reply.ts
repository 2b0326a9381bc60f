import { type HttpAnswer, headerOf } from './http-connection.js';
import type { ToldRefusal } from './outcome.js';

/** What an answer of the HTTP edge means to a person. */
export type Reply =
  | { kind: 'HELD'; orderId: string }
  | { kind: 'PENDING'; orderId: string }
  | { kind: 'REFUSED'; refusal: ToldRefusal }
  /** A place in the waitlist of a sku that is sold out. */
  | { kind: 'WAITLISTED'; entryId: string }
  /** A place in line: the same key again after `waitMs` keeps it. */
  | { kind: 'QUEUED'; peopleAhead: number; waitMs: number }
  /** Nothing is decided: the same key again, not before `waitMs` when the answer says so. With the limit that a 429 named. */
  | { kind: 'AGAIN'; why: string; waitMs?: number; limit?: string }
  | { kind: 'ERROR'; why: string };

const REFUSALS = new Set([
  'NOT_ENOUGH',
  'ALL_HELD',
  'SOLD_OUT',
  'NOT_ON_SALE',
  'LIMIT_REACHED',
  'ALREADY_BOOKED',
  'MAX_PER_ORDER',
  'PAUSED',
  'SALE_CANCELLED',
  'WAITLIST_FULL',
]);
const TRY_AGAIN_STATUS = new Set([429, 502, 503, 504]);
const LIVE_STATES = new Set(['HELD', 'CONFIRMED', 'FULFILLED', 'CANCELLED', 'EXPIRED']);

/** Reads the answer to POST /v1/orders or to GET /v1/orders/{id}. */
export function readReply(answer: HttpAnswer): Reply {
  const body = parseObject(answer.body);
  const reason = text(body.reason);
  if (answer.status === 202 && body.state === 'QUEUED') return readPlace(body);
  if (answer.status === 202 && text(body.entry_id) !== '') return { kind: 'WAITLISTED', entryId: text(body.entry_id) };
  if (answer.status < 300) return readOrder(body);
  if (REFUSALS.has(reason)) return { kind: 'REFUSED', refusal: readRefusal(reason, body) };
  const why = `${answer.status} ${reason || answer.body.slice(0, 120)}`;
  if (!TRY_AGAIN_STATUS.has(answer.status) && reason !== 'REQUEST_IN_PROGRESS') return { kind: 'ERROR', why };
  const waitMs = Number(headerOf(answer.head, 'retry-after')) * 1000;
  const wait = waitMs > 0 ? { waitMs } : {};
  if (answer.status !== 429) return { kind: 'AGAIN', why, ...wait };
  const limit = text(body.limit) || 'UNNAMED';
  return { kind: 'AGAIN', why: `${why} ${limit}`, limit, ...wait };
}

function readPlace(body: Record<string, unknown>): Reply {
  return { kind: 'QUEUED', peopleAhead: Number(body.people_ahead), waitMs: Number(body.retry_after_ms) };
}

function readOrder(body: Record<string, unknown>): Reply {
  const orderId = text(body.order_id);
  const state = text(body.state);
  if (state === 'PENDING') return { kind: 'PENDING', orderId };
  if (LIVE_STATES.has(state)) return { kind: 'HELD', orderId };
  if (state === 'REFUSED') {
    const refusal = typeof body.refusal === 'object' && body.refusal ? (body.refusal as Record<string, unknown>) : {};
    return { kind: 'REFUSED', refusal: readRefusal(text(refusal.reason), refusal) };
  }
  return { kind: 'ERROR', why: `an order in state ${state || 'unknown'}` };
}

function readRefusal(reason: string, facts: Record<string, unknown>): ToldRefusal {
  const nextReleaseAt = instant(facts.next_release_at);
  const opensAt = instant(facts.opens_at);
  return { reason, ...(nextReleaseAt ? { nextReleaseAt } : {}), ...(opensAt ? { opensAt } : {}) };
}

function parseObject(json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function instant(value: unknown): Date | undefined {
  return typeof value === 'string' ? new Date(value) : undefined;
}
