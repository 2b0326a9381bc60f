import type { Refusal } from '#libs/refusal/refusal.js';
import type { LedgerOrder } from './rows.js';
import type { EntryWord } from './waitlist-rows.js';

/** Why the ledger neither takes nor refuses a claim. Leaves no row. */
export type ClaimFaultReason = 'REQUEST_ID_REUSED' | 'SKU_NOT_FOUND' | 'CURRENCY_MIXED' | 'TOO_LATE';

/** The ledger's word on one claim. */
export type Decision =
  /**
   * The order as it is today: born by this claim or known by its id. Never REFUSED. When the claim joined a waitlist and
   * was made an offer, it is the offer's order, of another id.
   */
  | { orderId: string; kind: 'ORDER'; order: LedgerOrder }
  /** A no. `recorded`: the id has a row and is answered like this for ever. */
  | { orderId: string; kind: 'REFUSED'; refusal: Refusal; recorded: boolean }
  /** A place in the line of a sku: taken by this claim, known by its id, or the one that its user has there already. */
  | { orderId: string; kind: 'WAITLISTED'; entry: EntryWord }
  | { orderId: string; kind: 'FAULT'; reason: ClaimFaultReason; metadata: Record<string, string> };

/** The decision that a known order stands for. */
export function decisionOf(order: LedgerOrder): Decision {
  const { orderId, refusal } = order;
  return refusal ? { orderId, kind: 'REFUSED', refusal, recorded: true } : { orderId, kind: 'ORDER', order };
}
