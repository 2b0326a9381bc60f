import type { LedgerLine } from '#libs/ledger/rows.js';
import type { Claim } from '../../services/inventory/src/app/placement.js';

/** Somebody who wants something, under one request id for ever. */
export interface Person {
  readonly name: string;
  readonly orderId: string;
  readonly userId: string;
  readonly requestId: string;
  readonly lines: LedgerLine[];
  /** What they ask for by mistake under the same request id. */
  readonly otherLines: LedgerLine[] | undefined;
  /** Tries whose answer is awaited. */
  waitingFor: number;
}

/** One try as it reaches a gateway. No rule looks at it: it is how a witness tells whose claim had an effect. */
export interface Try {
  readonly person: Person;
  readonly lines: LedgerLine[];
  /** When it began, in the world's count. */
  count: number;
  /** Whether a mark knows of it. */
  isMarked: boolean;
  /** It has no mark, and Redis does not know of its gateway, which began without it or was forgotten with its data. */
  isForgotten: boolean;
  /** Inventory process that it goes to first. */
  readonly route: number;
}

/** A claim that remembers the try it is from. */
export interface TriedClaim extends Claim {
  readonly lines: LedgerLine[];
  readonly by: Try;
}
