import { randomUUID } from 'node:crypto';
import { OnBusy, OnSoldOut } from '#libs/contracts/gen/holdfast/inventory/v1/sku.js';
import type { OrderLine } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import {
  ReservationServiceDefinition,
  type ReserveRequest,
  type ReserveResponse,
} from '#libs/contracts/gen/holdfast/reservation/v1/reservation_service.js';
import { Fault } from '#libs/refusal/fault.js';
import type { Client } from '#libs/rpc/client.js';
import type { Patience, Waiting } from './insist.js';
import { refusalName, waitlistStateName } from './names.js';
import type { ReserveOutcome } from './reserve-outcome.js';
import type { CallAs, Voice } from './voice.js';

/** What somebody wants to have. */
export interface Wish {
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

const onBusyByName = { QUEUE: OnBusy.ON_BUSY_QUEUE, FAIL: OnBusy.ON_BUSY_FAIL } as const;
const onSoldOutByName = {
  REFUSE: OnSoldOut.ON_SOLD_OUT_REFUSE,
  JOIN_WAITLIST: OnSoldOut.ON_SOLD_OUT_JOIN_WAITLIST,
} as const;

/** Sends one wish under one request_id until its outcome stands or the time is over. */
export async function reserve(
  gateway: Client<typeof ReservationServiceDefinition>,
  voice: Voice,
  { wish, patience }: { wish: Wish; patience: Patience },
): Promise<ReserveOutcome> {
  const request = requestOf(wish);
  const { requestId } = request;
  const send = async (options: CallAs): Promise<ReserveOutcome> =>
    outcomeOf(requestId, await gateway.reserve(request, options));
  const { reserve: method } = ReservationServiceDefinition.methods;
  const answer = await voice.insist(method, send, { ...patience, waitAfter: turnOf });
  return answer instanceof Fault ? { kind: 'UNDECIDED', requestId, fault: answer } : answer;
}

/** A line as the contract has it. */
export function lineOf({ skuId, quantity, attendeeId = '' }: Wish['lines'][number]): OrderLine {
  return { skuId, quantity, attendeeId, unitPriceMinor: 0 };
}

function requestOf({ storeId, lines, requestId = randomUUID(), onBusy, onSoldOut }: Wish): ReserveRequest {
  return {
    storeId,
    requestId,
    lines: lines.map(lineOf),
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
      const { entryId, skuId, peopleAhead, state } = outcome.value;
      return { kind: 'WAITLISTED', requestId, entryId, skuId, state: waitlistStateName(state), peopleAhead };
    }
    case 'refused': {
      const { refusal, ownOrder } = outcome.value;
      if (refusal) return { kind: 'REFUSED', requestId, reason: refusalName(refusal.reason), refusal, ownOrder };
    }
  }
  throw new Fault('INTERNAL', 'The gateway gave an outcome that is not known here');
}

/** How long until the turn in line; undefined: the outcome stands. */
function turnOf(outcome: ReserveOutcome): Waiting | undefined {
  if (outcome.kind !== 'QUEUED') return undefined;
  const { skuId, peopleAhead, retryAfterMs: waitMs } = outcome;
  return { why: 'QUEUED', waitMs, skuId, peopleAhead };
}
