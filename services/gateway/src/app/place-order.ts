import { setTimeout as pause } from 'node:timers/promises';
import type { PlaceHoldsResult } from '#libs/contracts/gen/holdfast/inventory/v1/inventory_service.js';
import { type Order, type Refusal, RefusalReason } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import { ReserveResponse } from '#libs/contracts/gen/holdfast/reservation/v1/reservation_service.js';
import { faultOf } from '#libs/refusal/fault.js';
import { encode } from '#libs/rpc/definition.js';
import { fromStatus } from '#libs/rpc/status.js';
import type { Logger } from '#libs/runtime/logger.js';
import type { EndOfTry } from '../domain/ending-of.js';
import { type Answer, failed, refused, type Told, told, waiting } from './answer.js';
import type { Attempt, Carried } from './once.js';
import type { Ending, Hold, Inventory } from './ports.js';
import { recordedFault } from './recorded-fault.js';
import { requestIdReused } from './request-id-reused.js';
import { unknownOutcome } from './unknown-outcome.js';

const triesMax = 4;
const pauseMaxMs = 50;
/** For so long nobody waits in line for a no that was just told; then somebody asks again. */
const shutMs = 1_000;
const nothing = new Uint8Array();

export interface PlaceOrderOptions {
  placeHold: Inventory['placeHold'];
  /** The caller's own order that a refusal names; undefined when it cannot be read now. */
  ownOrder: (orderId: string, userId: string) => Promise<Order | undefined>;
  logger: Logger;
}

/**
 * Places an order and tells the outcome. The order id is computed from the request, so placing it again is the same order: a
 * peer that breaks off is followed by another try while there is time. Never rejects.
 */
export function createPlaceOrder(
  options: PlaceOrderOptions,
): (hold: Hold, attempt: Attempt) => Promise<Carried<Answer>> {
  const { placeHold, ownOrder, logger } = options;

  return async function placeOrder(hold, attempt) {
    try {
      for (let tries = 1; ; tries += 1) {
        try {
          hold.firstForMs = attempt.firstForMs === undefined ? undefined : Math.floor(attempt.firstForMs);
          return await carried(await placeHold(hold, attempt.giveUpAt - performance.now()), hold);
        } catch (thrown) {
          await nextTry(thrown, tries, attempt.giveUpAt);
          if (attempt.firstForMs !== undefined) attempt.firstForMs = 0;
        }
      }
    } catch (thrown) {
      const fault = recordedFault(thrown, logger);
      return { answer: failed(fault), end: fault.reason, bytes: nothing, shut: [] };
    }
  };

  function carried({ outcome }: PlaceHoldsResult, hold: Hold): Carried<Answer> | Promise<Carried<Answer>> {
    switch (outcome?.$case) {
      case 'held':
        // The offer to a request that waited is told as it is today, whatever is stored.
        return ended(
          told({ $case: 'held', value: { order: outcome.value } }),
          outcome.value.orderId === hold.orderId ? 'HELD' : 'WAITLISTED',
          opened(hold),
        );
      case 'waitlisted':
        return ended(waiting(outcome.value), 'WAITLISTED', []);
      case 'pending': {
        const answer = told({ $case: 'pending', value: { orderId: hold.orderId } });
        return { answer, end: 'PENDING', bytes: nothing, shut: [] };
      }
      case 'refused':
        return outcome.value.ownOrderId === '' ? no(outcome.value, hold) : noWithOwn(outcome.value, hold);
      case 'error': {
        const { reason } = fromStatus(outcome.value);
        // The ledger's word on it, when there is no mark to say so.
        const answer = reason === 'REQUEST_ID_REUSED' ? failed(requestIdReused(hold.orderId)) : outcome;
        return { answer, end: reason, bytes: nothing, shut: [] };
      }
      default:
        throw new Error('inventory gave an outcome that is not known here');
    }
  }

  async function noWithOwn(refusal: Refusal, hold: Hold): Promise<Carried<Answer>> {
    return no(refusal, hold, await ownOrder(refusal.ownOrderId, hold.userId));
  }
}

function no(refusal: Refusal, { storeId }: Hold, ownOrder?: Order): Carried<Answer> {
  const end = refusal.opensAt === undefined ? 'REFUSED' : 'REFUSED_UNTIL_OPENING';
  return ended(refused(refusal, ownOrder), end, shutBy(refusal, storeId));
}

function ended(answer: Told, end: EndOfTry, shut: Ending['shut']): Carried<Answer> {
  return { answer, end, bytes: encode(ReserveResponse, answer.value), shut };
}

/** There are units again. */
function opened({ storeId, lines }: Hold): Ending['shut'] {
  return lines.map(({ skuId }) => ({ storeId, skuId, forMs: 0 }));
}

/** A no that is the same for everybody, until it may be another. */
function shutBy({ reason, skuId, opensAt }: Refusal, storeId: string): Ending['shut'] {
  switch (reason) {
    case RefusalReason.REFUSAL_REASON_ALL_HELD:
    case RefusalReason.REFUSAL_REASON_SOLD_OUT:
    case RefusalReason.REFUSAL_REASON_PAUSED:
    case RefusalReason.REFUSAL_REASON_SALE_CANCELLED:
    case RefusalReason.REFUSAL_REASON_NOT_ON_SALE: {
      const forMs = opensAt === undefined ? shutMs : Math.min(shutMs, opensAt.getTime() - Date.now());
      return forMs > 0 ? [{ storeId, skuId, forMs }] : [];
    }
    default:
      return [];
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
