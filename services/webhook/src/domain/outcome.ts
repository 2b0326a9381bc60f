import { nextAttemptInMs } from './schedule.js';

/** What came of a request; without a status there was no answer, and `error` says why. */
export interface Answer {
  status?: number;
  /** Empty: the event was taken. */
  error: string;
  /** When the endpoint wants to be asked again. */
  retryAfterMs?: number;
}

/** What is done next. */
export interface Verdict {
  outcome: 'DELIVERED' | 'RETRY' | 'FAILED' | 'GONE';
  nextInMs: number;
}

/** Judges an answer after `failed` attempts before it. 2xx is delivered, 410 means for good, all else is tried again. */
export function judge({ status = 0, retryAfterMs }: Answer, failed: number, random: number): Verdict {
  if (status >= 200 && status < 300) return { outcome: 'DELIVERED', nextInMs: 0 };
  if (status === 410) return { outcome: 'GONE', nextInMs: 0 };
  const nextInMs = nextAttemptInMs(failed + 1, random, retryAfterMs);
  return nextInMs === undefined ? { outcome: 'FAILED', nextInMs: 0 } : { outcome: 'RETRY', nextInMs };
}
