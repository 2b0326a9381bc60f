import type { Order, Refusal } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import type { MoveOrderResponse } from '#libs/contracts/gen/holdfast/reservation/v1/reservation_service.js';
import { type RefusalName, refusalName } from './names.js';

/** What became of a move. */
export type MoveOutcome =
  /** It moved, or was there already. */
  | { kind: 'MOVED'; order: Order }
  /** It stays where it was; `refusal` has the facts. */
  | { kind: 'REFUSED'; reason: RefusalName | 'UNKNOWN'; refusal: Refusal };

/** The outcome in the words of the client. */
export function moveOutcomeOf({ $case, value }: NonNullable<MoveOrderResponse['outcome']>): MoveOutcome {
  if ($case === 'order') return { kind: 'MOVED', order: value };
  return { kind: 'REFUSED', reason: refusalName(value.reason), refusal: value };
}
