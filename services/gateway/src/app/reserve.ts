import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { PlaceHoldsResult } from '#libs/contracts/gen/holdfast/inventory/v1/inventory_service.js';
import type { Order, Refusal } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import type {
  ReserveRequest,
  ReserveResponse,
  ReserveStreamResult,
} from '#libs/contracts/gen/holdfast/reservation/v1/reservation_service.js';
import { orderId } from '#libs/contracts/order-id.js';
import { Fault, faultOf } from '#libs/refusal/fault.js';
import { toStatus } from '#libs/rpc/status.js';
import type { Logger } from '#libs/runtime/logger.js';
import { invalidRequest } from '../domain/fields.js';
import { validateReserve } from '../domain/validate-reserve.js';
import type { Hold, Inventory } from './ports.js';

/** Past this many milliseconds an attempt has no effect any more. */
const notAfterMs = 3_000;
/** The part of the waiting that an attempt may use; the rest is for its answer to come back. */
export const attemptShare = 0.9;
const waitMaxMs = notAfterMs / attemptShare;
const triesMax = 4;
const pauseMaxMs = 50;

/** The outcome, or the status that stands in its place. Faults are data here: a crowd's are not worth a throw each. */
export type Answer = NonNullable<ReserveStreamResult['result']>;

/** Never rejects. `remainingMs` is what the caller will wait; the outcome of one user's request_id is the same for ever. */
export type Reserve = (userId: string, request: ReserveRequest, remainingMs: number) => Promise<Answer>;

export interface ReserveOptions {
  placeHold: Inventory['placeHold'];
  /** The caller's own order that a refusal names; undefined when it cannot be read now. */
  ownOrder: (orderId: string, userId: string) => Promise<Order | undefined>;
  /** Reservations in flight at once; more are answered BUSY. */
  maxInFlight: number;
  logger: Logger;
}

/**
 * One reservation: checked, given its id, placed, its outcome told. The order id is computed from the request, so placing
 * it again is the same order: a peer that breaks off is followed by another try while there is time, and if this process
 * dies here the caller's own retry finds the order.
 */
export function createReserve({ placeHold, ownOrder, maxInFlight, logger }: ReserveOptions): Reserve {
  const busy = failed(new Fault('BUSY', 'Too many reservations are in flight'));
  let inFlight = 0;

  return function reserve(userId, request, remainingMs) {
    if (inFlight >= maxInFlight) return Promise.resolve(busy);
    const fault = faultIn(userId, request);
    if (fault !== undefined) return Promise.resolve(failed(fault));
    return settle(holdOf(userId, request), performance.now() + Math.min(waitMaxMs, remainingMs));
  };

  async function settle(hold: Hold, giveUpAt: number): Promise<Answer> {
    inFlight += 1;
    try {
      for (let tries = 1; ; tries += 1) {
        try {
          return await tell(await placeHold(hold, giveUpAt - performance.now()), hold);
        } catch (thrown) {
          await nextTry(thrown, tries, giveUpAt);
        }
      }
    } catch (thrown) {
      return failed(recorded(thrown, logger));
    } finally {
      inFlight -= 1;
    }
  }

  function tell({ outcome }: PlaceHoldsResult, { orderId, userId }: Hold): Answer | Promise<Answer> {
    switch (outcome?.$case) {
      case 'held':
        return told({ $case: 'held', value: { order: outcome.value } });
      case 'pending':
        return told({ $case: 'pending', value: { orderId } });
      case 'refused':
        return outcome.value.ownOrderId === '' ? refused(outcome.value) : refusedWithOwn(outcome.value, userId);
      case 'error':
        return outcome;
      default:
        throw new Error('inventory gave an outcome that is not known here');
    }
  }

  async function refusedWithOwn(refusal: Refusal, userId: string): Promise<Answer> {
    return refused(refusal, await ownOrder(refusal.ownOrderId, userId));
  }
}

/** Resolves when the same order may be placed again; else rejects with the fault to answer. */
async function nextTry(thrown: unknown, tries: number, giveUpAt: number): Promise<void> {
  const fault = faultOf(thrown);
  if (fault.reason === 'TOO_LATE') throw unknownOutcome(fault);
  if (fault.reason !== 'UNAVAILABLE') throw fault;
  if (tries === triesMax || performance.now() >= giveUpAt) throw unknownOutcome(fault);
  // The first goes at once, together with all that broke off with it; the next ones are spread.
  if (tries > 1) await pause(Math.random() * pauseMaxMs);
}

/** Nobody here knows what became of the order. Its id does: the caller asks again with the same request. */
function unknownOutcome(cause: Fault): Fault {
  return new Fault('UNAVAILABLE', 'The outcome is not known yet: send the same request again', { cause });
}

/** The fault, with an id under which the log has what is behind it when it is one of ours. */
function recorded(thrown: unknown, logger: Logger): Fault {
  const fault = faultOf(thrown);
  if (fault.reason !== 'INTERNAL' || fault.metadata.fault_id !== undefined) return fault;
  const faultId = randomUUID();
  logger.error({ faultId, err: fault.cause ?? fault }, 'reservation failed inside');
  return new Fault('INTERNAL', fault.message, { metadata: { fault_id: faultId } });
}

function faultIn(userId: string, request: ReserveRequest): Fault | undefined {
  if (userId === '') return new Fault('USER_MISSING', 'A reservation names its user');
  const violations = validateReserve(userId, request);
  return violations.length > 0 ? invalidRequest(violations) : undefined;
}

function holdOf(userId: string, { storeId, requestId, lines }: ReserveRequest): Hold {
  return {
    orderId: orderId(storeId, userId, requestId),
    storeId,
    userId,
    requestId,
    lines: lines.map(({ skuId, quantity, attendeeId }) => {
      return { skuId, quantity, attendeeId: attendeeId === '' ? userId : attendeeId, unitPriceMinor: 0 };
    }),
  };
}

function refused(refusal: Refusal, ownOrder?: Order): Answer {
  return told({ $case: 'refused', value: { refusal, ownOrder } });
}

function told(outcome: NonNullable<ReserveResponse['outcome']>): Answer {
  return { $case: 'response', value: { outcome } };
}

function failed(fault: Fault): Answer {
  return { $case: 'error', value: toStatus(fault) };
}
