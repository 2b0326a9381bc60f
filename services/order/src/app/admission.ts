import { Lane } from '#libs/lane/lane.js';
import type { Decision } from '#libs/ledger/decision.js';
import { Fault } from '#libs/refusal/fault.js';
import { claimWeight, maxBatchLines, skusOf } from '../domain/admission-batch.js';
import {
  type AdmissionEvents,
  type AdmissionLedger,
  admitClaims,
  type ClaimInHand,
  type Verdict,
} from './admit-claims.js';

/** Claims that may wait for a batch before no more messages are taken in. */
const maxWaitingClaims = 4 * maxBatchLines;
/** How long the claims of a sku that others kept locked go apart, so that they hold nobody up. */
const lockedForMs = 5_000;

export interface AdmissionOptions {
  readonly ledger: AdmissionLedger;
  /** Transactions in flight together. */
  readonly turns: number;
  readonly events: AdmissionEvents;
  /** Hears every batch, and how many lines it had, after its commit and before any message is acked. */
  readonly decided: (decisions: Decision[], lines: number) => void;
}

/**
 * Where the claims of all shards of a process meet: batches of at most 500 lines or 256 kB, filled store by store, a
 * bounded number of transactions in flight. Claims of a sku whose lock could not be had in time have a turn of their own.
 */
export class Admission {
  readonly #options: AdmissionOptions;
  readonly #lane: Lane<ClaimInHand, Verdict>;
  readonly #apart: Lane<ClaimInHand, Verdict>;
  readonly #lockedUntilMs = new Map<string, number>();
  #waitForRoom: (() => void)[] = [];

  constructor(options: AdmissionOptions) {
    this.#options = options;
    this.#lane = this.#laneOf('admission', options.turns);
    this.#apart = this.#laneOf('admission of locked skus', 1);
  }

  /** The verdict on one claim. Rejects with Fault TOO_LATE when its message may be in other hands, BUSY when full. */
  admit(item: ClaimInHand): Promise<Verdict> {
    return (this.#isLocked(item) ? this.#apart : this.#lane).add(item);
  }

  /** Resolves when few enough claims wait to take more messages in. */
  async room(): Promise<void> {
    while (this.#lane.waiting >= maxWaitingClaims) {
      await new Promise<void>((resolve) => this.#waitForRoom.push(resolve));
    }
  }

  async drain(): Promise<void> {
    await Promise.all([this.#lane.drain(), this.#apart.drain()]);
  }

  #laneOf(name: string, turns: number): Lane<ClaimInHand, Verdict> {
    return new Lane<ClaimInHand, Verdict>({
      name,
      turns,
      run: (batch) => this.#run(batch),
      maxBatch: maxBatchLines,
      maxWeight: maxBatchLines,
      weigh: (item) => claimWeight(item.claim.lines.length, item.bytes),
      keyOf: (item) => item.claim.storeId,
      droppedIf: (item) => (item.stale() ? this.#drop() : undefined),
    });
  }

  async #run(batch: ClaimInHand[]): Promise<Verdict[]> {
    const { ledger, events, decided } = this.#options;
    const verdicts = await admitClaims(ledger, batch, {
      ...events,
      locked: (skuIds) => {
        this.#setApart(skuIds);
        events.locked(skuIds);
      },
    });
    const decisions = verdicts.flatMap((verdict) => (verdict.kind === 'DECIDED' ? [verdict.decision] : []));
    const lines = batch.reduce((sum, item) => sum + item.claim.lines.length, 0);
    if (decisions.length > 0) decided(decisions, lines);
    this.#makeRoom();
    return verdicts;
  }

  #drop(): Fault {
    this.#makeRoom();
    return outOfHand;
  }

  /** Whoever waits for room looks again, after the lane has taken its batch out. */
  #makeRoom(): void {
    for (const resolve of this.#waitForRoom.splice(0)) resolve();
  }

  #setApart(skuIds: readonly string[]): void {
    const now = performance.now();
    for (const [skuId, untilMs] of this.#lockedUntilMs) if (untilMs < now) this.#lockedUntilMs.delete(skuId);
    for (const skuId of skuIds) this.#lockedUntilMs.set(skuId, now + lockedForMs);
  }

  #isLocked(item: ClaimInHand): boolean {
    if (this.#lockedUntilMs.size === 0) return false;
    const now = performance.now();
    return skusOf(item.claim).some((skuId) => (this.#lockedUntilMs.get(skuId) ?? 0) >= now);
  }
}

const outOfHand = new Fault('TOO_LATE', 'the message waited here until it may have gone to another process');
