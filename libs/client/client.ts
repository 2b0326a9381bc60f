import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { OnBusy, OnSoldOut } from '#libs/contracts/gen/holdfast/inventory/v1/sku.js';
import { RefusalReason } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import {
  ReservationServiceDefinition,
  type ReserveRequest,
  type ReserveResponse,
} from '#libs/contracts/gen/holdfast/reservation/v1/reservation_service.js';
import { Fault, type FaultReason } from '#libs/refusal/fault.js';
import { connect } from '#libs/rpc/client.js';
import type { ReserveOutcome } from './reserve-outcome.js';

/** What somebody wants to have. */
export interface Wish {
  userId: string;
  storeId: string;
  /** All of them or none. `attendeeId` uses the units; absent: the user. */
  lines: { skuId: string; quantity: number; attendeeId?: string }[];
  /** The idempotency key. Absent: one is drawn, and every outcome names it. */
  requestId?: string;
  /** Beyond the rate limit: a place in line, or RATE_LIMITED. Absent: what the sku says. */
  onBusy?: 'QUEUE' | 'FAIL';
  /** When too few are free: a no, or a place in the waitlist. Absent: what the sku says. */
  onSoldOut?: 'REFUSE' | 'JOIN_WAITLIST';
}

/** What is being waited for: a turn in the line, or for what a fault says to be over. */
export type Waiting = { waitMs: number } & (
  | { why: 'QUEUED'; skuId: string; peopleAhead: number }
  | { why: FaultReason; fault: Fault }
);

export interface ReserveOptions {
  /** How long to go on, waits in line included (60,000). */
  deadlineMs?: number;
  /** Gives up when it aborts: reserve rejects with Fault CANCELLED. What was sent may still become an order. */
  signal?: AbortSignal;
  /** Hears of every wait before it begins. */
  onWait?: (waiting: Waiting) => void;
}

/** Holdfast as an app sees it. */
export interface HoldfastClient {
  /**
   * Takes all lines or none, with one request_id however often it must be sent: again when its turn has come, when a limit or a request in
   * progress says so, and when nobody could tell what became of it. Rejects with a Fault that no repetition mends: INVALID_REQUEST,
   * SKU_NOT_FOUND, REQUEST_ID_REUSED and the like.
   */
  reserve(wish: Wish, options?: ReserveOptions): Promise<ReserveOutcome>;
  close(): void;
}

/** One try waits so long at most: an answer that is lost is asked for again, and costs the same order. */
const TRY_MAX_MS = 5_000;
const DEADLINE_MS = 60_000;
const FIRST_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 4_000;

/** Nothing is decided after these; the same request may be sent again. */
const AGAIN: ReadonlySet<FaultReason> = new Set([
  ...(['RATE_LIMITED', 'BUSY', 'REQUEST_IN_PROGRESS', 'UNAVAILABLE', 'TOO_LATE'] as const),
]);

const onBusyByName = { QUEUE: OnBusy.ON_BUSY_QUEUE, FAIL: OnBusy.ON_BUSY_FAIL } as const;
const onSoldOutByName = {
  REFUSE: OnSoldOut.ON_SOLD_OUT_REFUSE,
  JOIN_WAITLIST: OnSoldOut.ON_SOLD_OUT_JOIN_WAITLIST,
} as const;

/** A client of the gateways behind `target`: `host:port[,host:port…]` or `dns:host:port`. Connects with the first call. */
export function connectHoldfast(target: string): HoldfastClient {
  const gateway = connect(ReservationServiceDefinition, target, { defaultDeadlineMs: TRY_MAX_MS });
  return {
    async reserve(wish, { deadlineMs = DEADLINE_MS, signal, onWait } = {}) {
      const request = requestOf(wish);
      const metadata = { 'x-holdfast-user': wish.userId };
      const giveUpAt = performance.now() + deadlineMs;
      for (let setbacks = 0; ; ) {
        const leftMs = giveUpAt - performance.now();
        const answer = await gateway
          .reserve(request, { metadata, deadlineMs: Math.min(leftMs, TRY_MAX_MS), ...(signal && { signal }) })
          .then((response) => outcomeOf(request.requestId, response), undecided(request.requestId));
        const waiting = waitingAfter(answer, setbacks);
        // A wait that outlasts the deadline tells nothing new.
        if (waiting === undefined || performance.now() + waiting.waitMs >= giveUpAt) return answer;
        setbacks = waiting.why === 'QUEUED' ? 0 : setbacks + 1;
        onWait?.(waiting);
        await pause(waiting.waitMs, signal);
      }
    },
    close: () => gateway.close(),
  };
}

function requestOf({ storeId, lines, requestId = randomUUID(), onBusy, onSoldOut }: Wish): ReserveRequest {
  return {
    storeId,
    requestId,
    lines: lines.map(({ skuId, quantity, attendeeId = '' }) => ({ skuId, quantity, attendeeId, unitPriceMinor: 0 })),
    onBusy: onBusy && onBusyByName[onBusy],
    onSoldOut: onSoldOut && onSoldOutByName[onSoldOut],
  };
}

function outcomeOf(requestId: string, { outcome }: ReserveResponse): ReserveOutcome {
  switch (outcome?.$case) {
    case 'held':
      if (outcome.value.order) return { kind: 'HELD', requestId, order: outcome.value.order };
      break;
    case 'pending':
      return { kind: 'PENDING', requestId, orderId: outcome.value.orderId };
    case 'queued':
      return { kind: 'QUEUED', requestId, ...outcome.value };
    case 'waiting': {
      const { entryId, skuId, peopleAhead } = outcome.value;
      return { kind: 'WAITLISTED', requestId, entryId, skuId, peopleAhead };
    }
    case 'refused': {
      const { refusal, ownOrder } = outcome.value;
      // A reason that only newer gateways know has no name here.
      const name = RefusalReason[refusal?.reason ?? 0] ?? 'REFUSAL_REASON_UNSPECIFIED';
      const reason = name.slice('REFUSAL_REASON_'.length);
      if (refusal) return { kind: 'REFUSED', requestId, reason, refusal, ownOrder };
    }
  }
  throw new Fault('INTERNAL', 'The gateway gave an outcome that is not known here');
}

function undecided(requestId: string): (thrown: unknown) => ReserveOutcome {
  return (thrown) => {
    if (thrown instanceof Fault && AGAIN.has(thrown.reason)) return { kind: 'UNDECIDED', requestId, fault: thrown };
    throw thrown;
  };
}

/** How long to wait before the same is sent again; undefined: the answer stands. */
function waitingAfter(answer: ReserveOutcome, setbacks: number): Waiting | undefined {
  if (answer.kind === 'QUEUED') {
    const { skuId, peopleAhead, retryAfterMs: waitMs } = answer;
    return { why: 'QUEUED', waitMs, skuId, peopleAhead };
  }
  if (answer.kind !== 'UNDECIDED') return undefined;
  // Never sooner than the gateway said; later each time, and spread, so that a crowd does not come back as one.
  const { fault } = answer;
  const backoffMs = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** setbacks) * Math.random();
  return { why: fault.reason, waitMs: (fault.retryAfterMs ?? FIRST_BACKOFF_MS) + backoffMs, fault };
}

async function pause(waitMs: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await sleep(waitMs, undefined, signal && { signal });
  } catch (cause) {
    throw new Fault('CANCELLED', 'The reservation was given up', { cause });
  }
}
