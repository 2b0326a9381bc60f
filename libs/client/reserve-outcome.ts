import type { Order, Refusal } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import type { Fault } from '#libs/refusal/fault.js';
import type { RefusalName, WaitlistStateName } from './names.js';

/** How a reservation ended. Whatever it was, the same request_id may be sent again: it is the same order. */
export type ReserveOutcome =
  /**
   * The units are the user's, until `order.expiresAt` or, where nothing is to be paid, for good. A replay has the order as it is today:
   * look at its state.
   */
  | { kind: 'HELD'; requestId: string; order: Order }
  /** Durably queued: waitForOrder tells within seconds how it ended. */
  | { kind: 'PENDING'; requestId: string; orderId: string }
  /** A true no, which took nothing. `refusal` has its facts, and `ownOrder` is the user's own order when that is what stood in the way. */
  | {
      kind: 'REFUSED';
      requestId: string;
      reason: RefusalName | 'UNKNOWN';
      refusal: Refusal;
      ownOrder: Order | undefined;
    }
  /**
   * The time will be over before its turn comes. The same request_id after `retryAfterMs` keeps the place: more than a second late others
   * may pass, 30 s late the place is lost.
   */
  | { kind: 'QUEUED'; requestId: string; skuId: string; peopleAhead: number; retryAfterMs: number }
  /**
   * A place in the waitlist of the sku, kept under `entryId`: watchWaitlist follows it. The same request_id tells how it is today, HELD
   * once it was offered an order. `state` is WAITING at first; a place that ended without an offer has LEFT or ENDED.
   */
  | {
      kind: 'WAITLISTED';
      requestId: string;
      entryId: string;
      skuId: string;
      state: WaitlistStateName | 'UNKNOWN';
      peopleAhead: number;
    }
  /** The time was over and nothing was decided. `fault` is the last that was heard; after UNAVAILABLE and TOO_LATE it may yet be a yes. */
  | { kind: 'UNDECIDED'; requestId: string; fault: Fault };
