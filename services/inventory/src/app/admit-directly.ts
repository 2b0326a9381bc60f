import { Lane } from '#libs/lane/lane.js';
import type { ClaimToAdmit } from '#libs/ledger/claims-batch.js';
import type { Decision } from '#libs/ledger/decision.js';
import type { Ledger } from '#libs/ledger/ledger.js';
import { transient } from '#libs/postgres/errors.js';
import { Fault, faultOf } from '#libs/refusal/fault.js';
import type { Logger } from '#libs/runtime/logger.js';
import { BatchSize } from '../domain/batch-size.js';
import type { Placement } from './placement.js';
import { MAX_LINES, placementQueue } from './placement-queue.js';

/** Between two tries while the ledger is away. */
const RETRY_MS = 100;

/** What one turn says to one placement; `again` when the ledger did not answer. */
type Answer = Decision | Fault | 'again';

export interface AdmitDirectlyOptions {
  /** On connections of its own: reads and admissions do not take them from each other. */
  ledger: Pick<Ledger, 'claimsAdmit'>;
  /** Admissions in flight; few, for they share hot rows. */
  turns: number;
  onDecided(placement: Placement, decision: Decision): void;
  logger: Logger;
}

/**
 * Straight to the ledger, past gate and stream, in batches. The row that admission leaves is the answer for good, a no
 * included; so an unknown outcome is simply asked again until the caller's time is up.
 */
export class AdmitDirectly {
  private readonly lane: Lane<Placement, Answer>;
  private readonly size = new BatchSize(MAX_LINES);
  private ending = false;

  constructor(private readonly options: AdmitDirectlyOptions) {
    this.lane = new Lane({
      name: 'admit-directly',
      turns: options.turns,
      run: (placements) => this.admit(placements),
      ...placementQueue,
      maxBatch: () => this.size.now,
    });
  }

  /** Once is enough: it goes again by itself until it has an answer. */
  add(placement: Placement): void {
    if (placement.goesDirectly) return;
    placement.goesDirectly = true;
    placement.leftTrace = true;
    this.go(placement);
  }

  private go(placement: Placement): void {
    if (placement.answered) return;
    if (this.ending) {
      placement.fail(new Fault('UNAVAILABLE', 'the process ends before the ledger has answered'));
      return;
    }
    this.lane.add(placement).then(
      (answer) => {
        if (answer === 'again') setTimeout(() => this.go(placement), RETRY_MS);
        else if (answer instanceof Fault) placement.fail(answer);
        else this.options.onDecided(placement, answer);
      },
      (refused: unknown) => placement.fail(faultOf(refused)),
    );
  }

  /** Ends what is under way and begins nothing more. */
  drain(): Promise<void> {
    this.ending = true;
    return this.lane.drain();
  }

  private async admit(placements: Placement[]): Promise<Answer[]> {
    const beganAtMs = performance.now();
    try {
      const decisions = await this.options.ledger.claimsAdmit(placements.map(toAdmit));
      this.size.went(performance.now());
      return decisions;
    } catch (error) {
      const failedAtMs = performance.now();
      this.size.failed(placements.length, failedAtMs - beganAtMs, failedAtMs);
      const parts = parted(placements, error);
      if (parts.length > 1) return this.admitEach(placements, parts);
      if (!transient(error)) return [new Fault('INTERNAL', 'the ledger cannot process the order', { cause: error })];
      this.options.logger.warn({ err: error, claims: placements.length }, 'direct admission failed, trying again');
      return placements.map(() => 'again');
    }
  }

  private async admitEach(placements: Placement[], parts: Placement[][]): Promise<Answer[]> {
    const answers = new Map<Placement, Answer>();
    for (const part of parts) {
      const answered = await this.admit(part);
      for (const [i, placement] of part.entries()) answers.set(placement, answered[i] ?? 'again');
    }
    return placements.map((placement) => answers.get(placement) ?? 'again');
  }
}

/**
 * How to try a failed batch again in parts. Bad data: in halves, down to the one that carries it. A taken lock: sku by
 * sku, so that only those who want that sku wait for it. Anything else is about the ledger: in one part, later.
 */
function parted(placements: Placement[], error: unknown): Placement[][] {
  if (placements.length > 1 && !transient(error)) {
    const half = placements.length >> 1;
    return [placements.slice(0, half), placements.slice(half)];
  }
  if (!(error instanceof Fault) || error.reason !== 'BUSY') return [placements];
  const bySku = new Map<string | undefined, Placement[]>();
  for (const placement of placements) {
    const skuId = placement.claim.lines[0]?.skuId;
    const part = bySku.get(skuId);
    if (part) part.push(placement);
    else bySku.set(skuId, [placement]);
  }
  return [...bySku.values()];
}

function toAdmit({ claim, notAfter }: Placement): ClaimToAdmit {
  return { ...claim, lines: [...claim.lines], notAfter, record: true };
}
