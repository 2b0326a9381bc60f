import type { Order, Refusal } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import type {
  ReserveResponse,
  ReserveStreamResult,
} from '#libs/contracts/gen/holdfast/reservation/v1/reservation_service.js';
import type { WaitlistEntry } from '#libs/contracts/gen/holdfast/waitlist/v1/waitlist.js';
import type { Fault } from '#libs/refusal/fault.js';
import { toStatus } from '#libs/rpc/status.js';

type Outcome = NonNullable<ReserveResponse['outcome']>;

/** The outcome of a reservation. */
export interface Told {
  readonly $case: 'response';
  readonly value: ReserveResponse;
  /** Told before, to another try. */
  readonly isReplay?: true;
}

/** The outcome, or the status that stands in its place. Faults are data here: a crowd's are not worth a throw each. */
export type Answer = Told | Extract<NonNullable<ReserveStreamResult['result']>, { $case: 'error' }>;

export function told(outcome: Outcome): Told {
  return { $case: 'response', value: { outcome } };
}

export function refused(refusal: Refusal, ownOrder?: Order): Told {
  return told({ $case: 'refused', value: { refusal, ownOrder } });
}

/** A place in a waitlist. */
export function waiting({ entryId, skuId, peopleAhead, state, orderId }: WaitlistEntry): Told {
  return told({ $case: 'waiting', value: { entryId, skuId, peopleAhead, state, orderId } });
}

export function failed(fault: Fault): Answer {
  return { $case: 'error', value: toStatus(fault) };
}
