import { setTimeout as sleep } from 'node:timers/promises';
import type { Slots } from '#libs/lane/slots.js';
import { Fault, type FaultReason } from '#libs/refusal/fault.js';

/** What is being waited for: a turn in the line, or for what a fault says to be over. */
export type Waiting = { waitMs: number } & (
  | { why: 'QUEUED'; skuId: string; peopleAhead: number }
  | { why: FaultReason; fault: Fault }
);

/** How long a call goes on, and who hears of it. */
export interface Patience {
  /** How long to go on, waits and repetitions included (60,000). */
  deadlineMs?: number;
  /** Gives up when it aborts: the call rejects with Fault CANCELLED. What was sent may still be carried out. */
  signal?: AbortSignal;
  /** Hears of every wait before it begins. */
  onWait?: (waiting: Waiting) => void;
}

/** One try: how long it may take at most, and what ends it. */
export interface Try {
  deadlineMs: number;
  signal?: AbortSignal;
}

export interface Insistence<Answer> extends Patience {
  /** Each try takes one: what does not fit through the connections at once waits here, where it costs nobody anything. */
  slots: Slots;
  /** Whether the contract lets the same be sent again. */
  again: boolean;
  /** How long to wait before the same is sent again after this answer; undefined: it stands. */
  waitAfter?: (answer: Answer) => Waiting | undefined;
}

/** One try waits so long at most: an answer that is lost is asked for again, and costs the same effect. */
const TRY_MAX_MS = 5_000;
const DEADLINE_MS = 60_000;
const FIRST_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 4_000;

/** Nothing is decided after these, or nobody knows what was; the same request may be sent again. */
const UNDECIDED: ReadonlySet<FaultReason> = new Set([
  ...(['RATE_LIMITED', 'BUSY', 'REQUEST_IN_PROGRESS', 'ORDER_PENDING', 'UNAVAILABLE', 'TOO_LATE'] as const),
]);

/**
 * Tries until there is an answer that stands, never sooner than the peer said, and gives that answer; when the time is over the last
 * that was heard, which may be the Fault after which nothing is decided. Any other Fault is thrown.
 */
export async function insist<Answer>(
  attempt: (options: Try) => Promise<Answer>,
  { slots, again, waitAfter, deadlineMs = DEADLINE_MS, signal, onWait }: Insistence<Answer>,
): Promise<Answer | Fault> {
  const giveUpAt = performance.now() + deadlineMs;
  const leftMs = (): number => giveUpAt - performance.now();
  const inTurn = async (): Promise<Answer> => {
    await slots.take(leftMs(), signal);
    try {
      return await attempt({ deadlineMs: Math.min(leftMs(), TRY_MAX_MS), ...(signal && { signal }) });
    } finally {
      slots.give();
    }
  };
  for (let setbacks = 0; ; ) {
    const answer = await inTurn().catch(undecidedOrThrow);
    const waiting = answer instanceof Fault ? waitAfterFault(answer, setbacks) : waitAfter?.(answer);
    // A wait that outlasts the deadline tells nothing new.
    if (!again || waiting === undefined || waiting.waitMs >= leftMs()) return answer;
    setbacks = waiting.why === 'QUEUED' ? 0 : setbacks + 1;
    onWait?.(waiting);
    await pause(waiting.waitMs, signal);
  }
}

/** The fault after which the same may be sent again; throws any other thing. */
export function undecidedOrThrow(thrown: unknown): Fault {
  if (thrown instanceof Fault && UNDECIDED.has(thrown.reason)) return thrown;
  throw thrown;
}

/** Never sooner than the peer said; later each time, and spread, so that a crowd does not come back as one. */
export function waitAfterFault(fault: Fault, setbacks: number): Waiting {
  const backoffMs = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** setbacks) * Math.random();
  return { why: fault.reason, waitMs: (fault.retryAfterMs ?? FIRST_BACKOFF_MS) + backoffMs, fault };
}

/** Rejects with Fault CANCELLED when the signal aborts first. */
export async function pause(waitMs: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await sleep(waitMs, undefined, signal && { signal });
  } catch (cause) {
    throw new Fault('CANCELLED', 'The call was given up', { cause });
  }
}
