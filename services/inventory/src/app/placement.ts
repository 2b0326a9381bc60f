import type { BookedBy } from '#libs/ledger/claims-batch.js';
import type { Decision } from '#libs/ledger/decision.js';
import type { LedgerOrder } from '#libs/ledger/rows.js';
import type { EntryWord } from '#libs/ledger/waitlist-rows.js';
import type { OnSoldOut } from '#libs/ledger/waitlist-terms.js';
import { Fault, titleOf } from '#libs/refusal/fault.js';
import type { Refusal } from '#libs/refusal/refusal.js';
import { type Line, sameLines } from '../domain/lines.js';
import type { Callee } from './ports.js';

/** An order as it asks to be placed. */
export interface Claim {
  readonly orderId: string;
  readonly storeId: string;
  readonly userId: string;
  readonly requestId: string;
  readonly lines: readonly Line[];
  /** What becomes of it when too few units are free; absent: what the sku says. */
  readonly onSoldOut?: OnSoldOut;
  /** Staff who book it; absent: the user does. */
  readonly staff?: BookedBy;
}

/** One try as it arrives. */
export interface Attempt {
  readonly claim: Claim;
  readonly shard: number;
  /** Ledger time after which the try has no effect any more. */
  readonly notAfter: Date;
  /** When the caller must have its answer, in milliseconds of `performance.now()`. */
  readonly answerByMs: number;
  /** For so long no other try of the order began that has a mark. Undefined: nobody knows, it has no mark itself. */
  readonly firstForMs: number | undefined;
}

/** The answer to one try. A fault is an answer about this try alone: its order may still be decided otherwise. */
export type Outcome =
  | { readonly kind: 'HELD'; readonly order: LedgerOrder }
  | { readonly kind: 'PENDING' }
  | { readonly kind: 'REFUSED'; readonly refusal: Refusal }
  | { readonly kind: 'WAITLISTED'; readonly entry: EntryWord }
  | { readonly kind: 'FAULT'; readonly fault: Fault };

/**
 * One try to place an order, from its arrival to its one answer.
 *
 * arrived -> at the gate -> let in -> in the stream -> decided; or parked behind a short sku; or straight to
 * admission. Whatever the way, `answer` takes the first outcome and forgets the rest.
 */
export class Placement {
  /** Units are set aside in the gate under this try: it settles the claim. */
  letIn = false;
  /** Another try of the same order is in the journal: the decision may be about other lines. */
  joined = false;
  /** Since when the stream has the claim for certain, in milliseconds of `performance.now()`. */
  storedAtMs: number | undefined;
  /** It is on its way past gate or stream, straight to admission. */
  goesDirectly = false;
  /** It was, or may have been, let in or sent to admission: its order may be born whatever a read says. */
  leftTrace = false;
  answered = false;
  readonly claim: Claim;
  readonly shard: number;
  readonly notAfter: Date;
  readonly answerByMs: number;
  readonly firstForMs: number | undefined;

  constructor(
    attempt: Attempt,
    private readonly respond: (outcome: Outcome) => void,
  ) {
    this.claim = attempt.claim;
    this.shard = attempt.shard;
    this.notAfter = attempt.notAfter;
    this.answerByMs = attempt.answerByMs;
    this.firstForMs = attempt.firstForMs;
  }

  answer(outcome: Outcome): void {
    if (this.answered) return;
    this.answered = true;
    this.respond(outcome);
  }

  fail(fault: Fault): void {
    this.answer({ kind: 'FAULT', fault });
  }

  /**
   * Whether news about the order id answers this try. A fault, an order with other lines, and a no or a place in line to a
   * try that joined another, may be about other lines under the same id, and an order may have been changed since it was
   * asked for: the ledger, which knows what was asked, must be asked for this one.
   */
  isAnsweredBy(news: Decision): boolean {
    if (news.kind === 'ORDER') return sameLines(news.order.lines, this.claim.lines);
    return (news.kind === 'REFUSED' || news.kind === 'WAITLISTED') && !this.joined;
  }

  /** Answers with the ledger's word on this try. */
  decided(decision: Decision): void {
    if (decision.kind === 'FAULT') {
      const { reason, metadata } = decision;
      this.fail(new Fault(reason, titleOf(reason), { metadata }));
    } else if (decision.kind === 'REFUSED') {
      this.answer({ kind: 'REFUSED', refusal: decision.refusal });
    } else if (decision.kind === 'WAITLISTED') {
      this.answer({ kind: 'WAITLISTED', entry: decision.entry });
    } else {
      this.answer({ kind: 'HELD', order: decision.order });
    }
  }
}

/** Said where a switch forbids to go round what does not answer: nothing is recorded, and the same try works later. */
export function notGoneRound(callee: Callee): Fault {
  return new Fault('UNAVAILABLE', `the ${callee} does not answer and is not to be gone round`);
}
