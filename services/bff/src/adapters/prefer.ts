import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Fault, type FaultReason } from '#libs/refusal/fault.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** How long one request is worked on. */
    deadlineMs: number;
  }
  interface FastifyRequest {
    /** The instant of performance.now() until which the caller would wait for a decision; 0 when it did not say. */
    waitsUntil: number;
  }
}

/** What is not decided yet: the same again, soon, hears more. */
const undecided: ReadonlySet<FaultReason> = new Set(['ORDER_PENDING', 'REQUEST_IN_PROGRESS']);
const againAfterMs = 500;
const quotedText = /"((?:[^"\\]|\\.)*)"/g;
const waitPreference = /(?:^|,)\s*wait\s*(?:=\s*([^,;\s]*))?\s*(?=$|[,;])/i;

/**
 * Seconds that the caller would wait for a decision (RFC 7240, `Prefer: wait=N`). Undefined when it does not say, or says it
 * wrongly: preferences that are not understood are passed over. Of several the first counts.
 */
export function waitSecondsOf(header: string | string[] | undefined): number | undefined {
  if (header === undefined) return undefined;
  const bare = String(header).replace(quotedText, (_, text: string) => (/^\d+$/.test(text) ? text : '""'));
  const seconds = waitPreference.exec(bare)?.[1] ?? '';
  return /^\d{1,9}$/.test(seconds) ? Number(seconds) : undefined;
}

/**
 * Does it, and while it is not decided does it again for as long as the caller prefers to wait, up to the deadline; what was applied
 * is said in Preference-Applied. `work` is safe to repeat: what it changes carries the request's own key.
 */
export function patiently<Result>(
  request: FastifyRequest,
  reply: FastifyReply,
  work: () => Promise<Result>,
): Promise<Result> {
  const seconds = waitSecondsOf(request.headers.prefer);
  if (seconds === undefined) return work();
  const applied = Math.min(seconds, Math.floor(request.server.deadlineMs / 1_000));
  reply.header('preference-applied', `wait=${applied}`);
  request.waitsUntil = performance.now() + applied * 1_000;
  return againWhileUndecided(request, work);
}

async function againWhileUndecided<Result>(request: FastifyRequest, work: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await work();
    } catch (thrown) {
      const isUndecided = thrown instanceof Fault && undecided.has(thrown.reason);
      const againMs = (isUndecided && thrown.retryAfterMs) || againAfterMs;
      if (!isUndecided || waitMsOf(request) < againMs) throw thrown;
      await pause(againMs);
    }
  }
}

/** Whole milliseconds that the caller would still wait; not positive when it would not. */
export function waitMsOf({ waitsUntil }: FastifyRequest): number {
  return waitsUntil === 0 ? 0 : Math.ceil(waitsUntil - performance.now());
}
