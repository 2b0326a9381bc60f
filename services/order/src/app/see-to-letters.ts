import type { ClaimToAdmit } from '#libs/ledger/claims-batch.js';
import type { KeptLetter, LetterResolution } from '#libs/ledger/dead-letter-desk.js';
import type { Ledger } from '#libs/ledger/ledger.js';
import type { LedgerOrder } from '#libs/ledger/rows.js';
import { Fault } from '#libs/refusal/fault.js';
import type { Failure } from './admit-claims.js';

export interface LetterPorts {
  readonly ledger: Pick<Ledger, 'deadLetterGet' | 'deadLetterReplay'>;
  /** The claim in a letter's message; undefined when it is none of the order that it names. */
  readonly claimIn: (payload: Uint8Array) => ClaimToAdmit | undefined;
  readonly failureOf: (error: unknown) => Failure;
  /** Hears of orders whose state this process changed. */
  readonly changed: (orderIds: readonly string[]) => void;
}

/**
 * Admits the claim of a letter once more. One transaction of the ledger, which also writes the event; what is told here after
 * the commit is a hint. Faults as deadLetterReplay; INVALID_REQUEST when the letter has no claim.
 */
export async function replayLetter(
  { ledger, claimIn, failureOf, changed }: LetterPorts,
  resolution: LetterResolution,
): Promise<{ letter: KeptLetter; order: LedgerOrder }> {
  const { payload } = await ledger.deadLetterGet(resolution.letterId);
  const claim = claimIn(payload);
  if (claim === undefined) throw withoutClaim;
  try {
    const replayed = await ledger.deadLetterReplay(resolution, claim);
    changed([claim.orderId]);
    return replayed;
  } catch (error) {
    if (error instanceof Fault || failureOf(error) !== 'DATA') throw error;
    throw new Fault('ORDER_STATE', 'the ledger still cannot process this claim; it stays refused', {
      metadata: { order_id: claim.orderId, state: 'REFUSED' },
      cause: error,
    });
  }
}

const withoutClaim = new Fault(
  'INVALID_REQUEST',
  'the letter has no claim that could be admitted; it can be discarded',
  {
    violations: [{ field: 'dead_letter_id', description: 'must be a letter with the claim of an order' }],
  },
);
