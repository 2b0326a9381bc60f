import type { ClaimToAdmit } from '#libs/ledger/claims-batch.js';
import type { DeadLetter } from '#libs/ledger/dead-letters.js';
import type { Decision } from '#libs/ledger/decision.js';
import { groupBySkus, halves } from '../domain/admission-batch.js';

/** A claim as it came off the stream. */
export interface ClaimInHand {
  readonly claim: ClaimToAdmit;
  readonly subject: string;
  /** Size of the claim in its message, in bytes. */
  readonly bytes: number;
  /** The claim alone, encoded as it came, for the dead letters. */
  readonly payload: () => Uint8Array;
  /** The stream may have given the message to another process meanwhile. */
  readonly stale: () => boolean;
}

/** What one run of admission made of a claim. */
export type Verdict =
  | { readonly kind: 'DECIDED'; readonly decision: Decision }
  /** Kept among the dead letters; the ledger could not even write a refusal for it. */
  | { readonly kind: 'DEAD' }
  /** Nothing is known to have happened: the message must come again. */
  | { readonly kind: 'LATER' };

/**
 * What a failure is about: the ledger's state (never a try), a sku that someone keeps locked, the claims themselves, or
 * something nobody foresaw, which singles its claim out and refuses nobody.
 */
export type Failure = 'INFRASTRUCTURE' | 'LOCK' | 'DATA' | 'UNKNOWN';

/** The ledger as admission needs it. */
export interface AdmissionLedger {
  claimsAdmit(claims: readonly ClaimToAdmit[]): Promise<Decision[]>;
  /** Dead letter, refused row and decision in one transaction. */
  claimBury(burial: DeadLetter & { claim: ClaimToAdmit }): Promise<Decision>;
  deadLetterAdd(letter: DeadLetter): Promise<void>;
  failureOf(error: unknown): Failure;
}

/** Hears of whatever kept a batch from going through as a whole. */
export interface AdmissionEvents {
  /** The ledger is away, or too slow. */
  failed(error: unknown, claims: number): void;
  /** Others hold the locks of these skus for longer than admission waits. */
  locked(skuIds: readonly string[]): void;
  buried(claim: ClaimToAdmit, error: unknown): void;
}

/**
 * Admits a batch in one transaction; the verdicts are in the order of the claims, and it never rejects.
 *
 * A batch that fails on data is split in halves down to the item, which is buried. A batch that waits too long for a
 * lock is split by sku, so that only claims that need the locked sku come again. An infrastructure failure leaves the
 * batch as it is, to come again. Whatever has no verdict in the end comes again; if it was admitted after all and only
 * the reply was lost, its row says so then.
 */
export async function admitClaims(
  ledger: AdmissionLedger,
  batch: readonly ClaimInHand[],
  events: AdmissionEvents,
): Promise<Verdict[]> {
  const verdicts = new Map<ClaimInHand, Verdict>();
  await admitOrSplit(batch);
  return batch.map((item) => verdicts.get(item) ?? { kind: 'LATER' });

  async function admitOrSplit(items: readonly ClaimInHand[]): Promise<void> {
    try {
      const decisions = await ledger.claimsAdmit(items.map((item) => item.claim));
      for (const [index, item] of items.entries()) {
        const decision = decisions[index];
        if (decision) verdicts.set(item, { kind: 'DECIDED', decision });
      }
    } catch (error) {
      const failure = ledger.failureOf(error);
      if (failure === 'INFRASTRUCTURE') events.failed(error, items.length);
      else if (failure === 'LOCK') await splitBySku(items);
      else await splitInHalves(items, error, failure);
    }
  }

  async function splitInHalves(items: readonly ClaimInHand[], error: unknown, failure: Failure): Promise<void> {
    const [only, second] = items;
    if (only && second) for (const half of halves(items)) await admitOrSplit(half);
    else if (only && failure === 'DATA') await bury(only, error);
    else events.failed(error, items.length);
  }

  async function bury(item: ClaimInHand, error: unknown): Promise<void> {
    const { claim, subject } = item;
    try {
      const decision = await ledger.claimBury({ claim, subject, payload: item.payload(), error: String(error) });
      verdicts.set(item, { kind: 'DECIDED', decision });
      events.buried(claim, error);
    } catch (failure) {
      if (ledger.failureOf(failure) === 'DATA') await keepDead(item, failure);
      else events.failed(failure, 1);
    }
  }

  /** Not even a refusal can be written for it: an operator has to look. */
  async function keepDead(item: ClaimInHand, error: unknown): Promise<void> {
    try {
      await ledger.deadLetterAdd({ subject: item.subject, payload: item.payload(), error: String(error) });
      verdicts.set(item, { kind: 'DEAD' });
      events.buried(item.claim, error);
    } catch (failure) {
      events.failed(failure, 1);
    }
  }

  async function splitBySku(items: readonly ClaimInHand[]): Promise<void> {
    const groups = groupBySkus(items.map((item) => ({ item, lines: item.claim.lines })));
    if (groups.length === 1) return events.locked(groups[0]?.skuIds ?? []);
    const locked = new Set<string>();
    for (const { skuIds, claims } of groups) {
      if (skuIds.some((skuId) => locked.has(skuId))) continue;
      const group = claims.map(({ item }) => item);
      await admitOrSplit(group);
      const allDecided = group.every((item) => verdicts.has(item));
      if (!allDecided && skuIds.length === 1) for (const skuId of skuIds) locked.add(skuId);
    }
  }
}
