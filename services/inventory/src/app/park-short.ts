import type { Decision } from '#libs/ledger/decision.js';
import type { Ledger } from '#libs/ledger/ledger.js';
import type { ParkedAnswer } from '#libs/ledger/parked.js';
import type { SkuStock } from '#libs/ledger/rows.js';
import { transient } from '#libs/postgres/errors.js';
import type { Logger } from '#libs/runtime/logger.js';
import { isSurelyFirst } from '../domain/surely-first.js';
import type { Placement } from './placement.js';
import type { GateVerdict } from './ports.js';
import { ShortLine, type Turn } from './short-line.js';

export interface ParkShortOptions {
  parkedRead: Ledger['parkedRead'];
  /** Sets the gates from the read and places from the head until one stays short. */
  placeAgain(placements: Placement[], now: Date, skus: SkuStock[]): Promise<GateVerdict[]>;
  /** Takes out of the journal what the ledger has decided of a sku. */
  settleKnown(shard: number, skuId: string): Promise<void>;
  /** Age of the oldest claim that nobody may have decided yet; undefined: not known. */
  oldestMs(shard: number): number | undefined;
  /** The row of its order was found, or it is refused without one. */
  onDecided(placement: Placement, decision: Decision): void;
  /** Whether it may wait here for the gate; not any more when it was switched past it. */
  isForGate(placement: Placement): boolean;
  /** The gate did not answer, or it is not for the gate any more. */
  pastGate(placement: Placement, error?: unknown): void;
  /** A no that must be recorded, or one that only admission can tell. */
  admitDirectly(placement: Placement): void;
  onVerdict(placement: Placement, verdict: GateVerdict): void;
  logger: Logger;
}

/**
 * Where orders wait that the gate has too few units for, one line per sku in order of arrival, newcomers behind them.
 * A turn reads the ledger once for all who wait. Whoever it knows is answered; whoever it says no to is told so at once
 * when it is surely the first try of its order, else goes to be refused by it, as does who would rather wait; the rest are
 * placed again. Short though
 * the ledger has units free means that others are undecided: what the ledger knows of them is settled, and the turn comes
 * again.
 */
export class ParkShort {
  private readonly lines = new Map<string, ShortLine>();

  constructor(private readonly options: ParkShortOptions) {}

  /** The sku in whose line this order has to wait, if there is one. */
  behind(placement: Placement): string | undefined {
    if (this.lines.size === 0) return undefined;
    return placement.claim.lines.find((line) => this.lines.has(line.skuId))?.skuId;
  }

  get size(): number {
    let size = 0;
    for (const line of this.lines.values()) size += line.length;
    return size;
  }

  park(placement: Placement, skuId: string): void {
    let line = this.lines.get(skuId);
    if (!line) {
      line = new ShortLine(
        (placements) => this.turn(skuId, placements),
        () => this.lines.delete(skuId),
      );
      this.lines.set(skuId, line);
      void line.serve();
    }
    line.push(placement);
  }

  /** A decision on some order of these skus: who waits for one of them has a turn at once. */
  stir(skuIds: readonly string[]): void {
    if (this.lines.size === 0) return;
    for (const skuId of skuIds) this.lines.get(skuId)?.stir();
  }

  private async turn(skuId: string, placements: Placement[]): Promise<Turn> {
    try {
      return await this.askLedger(skuId, placements);
    } catch (error) {
      if (!transient(error)) {
        // One of them carries what the ledger cannot read: admission finds out which.
        for (const placement of placements) this.options.admitDirectly(placement);
        return { left: [], open: false };
      }
      const orders = placements.length;
      this.options.logger.warn({ err: error, skuId, orders }, 'the ledger could not be asked about short orders');
      return { left: placements, open: false };
    }
  }

  private async askLedger(skuId: string, placements: Placement[]): Promise<Turn> {
    const claims = placements.map(({ claim }) => claim);
    // Asked before the ledger: a claim that has left the stream by now has its row in the read.
    const oldestMs = this.oldestMs(placements);
    const read = await this.options.parkedRead(claims);
    const candidates: Placement[] = [];
    for (const [i, placement] of placements.entries()) {
      const { known, no, waits } = read.words[i] ?? {};
      if (waits) this.options.admitDirectly(placement);
      else if (known) this.options.onDecided(placement, known);
      else if (!no && this.options.isForGate(placement)) candidates.push(placement);
      else if (!no) this.options.pastGate(placement);
      else if (isFirst(placement, read, oldestMs.get(placement.shard))) this.options.onDecided(placement, no);
      else this.options.admitDirectly(placement);
    }
    if (candidates.length === 0) return { left: [], open: false };
    const left = await this.placeAgain(skuId, candidates, read.now, read.skus);
    return { left, open: left.length === 0 && candidates.length === placements.length };
  }

  private oldestMs(placements: readonly Placement[]): Map<number, number | undefined> {
    const oldestMs = new Map<number, number | undefined>();
    for (const { firstForMs, shard } of placements)
      if (firstForMs && !oldestMs.has(shard)) oldestMs.set(shard, this.options.oldestMs(shard));
    return oldestMs;
  }

  private async placeAgain(skuId: string, candidates: Placement[], now: Date, skus: SkuStock[]): Promise<Placement[]> {
    let verdicts: GateVerdict[];
    try {
      verdicts = await this.options.placeAgain(candidates, now, skus);
    } catch (error) {
      for (const placement of candidates) this.options.pastGate(placement, error);
      return [];
    }
    const short: Placement[] = [];
    for (const [i, placement] of candidates.entries()) {
      const verdict = verdicts[i];
      if (!verdict || 'skuId' in verdict) short.push(placement);
      else this.options.onVerdict(placement, verdict);
    }
    const [head] = short;
    if (head && short.length === candidates.length) await this.settleKnown(head.shard, skuId);
    return short;
  }

  private async settleKnown(shard: number, skuId: string): Promise<void> {
    try {
      await this.options.settleKnown(shard, skuId);
    } catch (error) {
      this.options.logger.debug({ err: error, skuId }, 'the journal was not settled, the next turn tries again');
    }
  }
}

function isFirst(placement: Placement, read: ParkedAnswer, oldestMs: number | undefined): boolean {
  const { firstForMs, leftTrace } = placement;
  const { now, unmarkedUntil } = read;
  const markedForMs = unmarkedUntil ? now.getTime() - unmarkedUntil.getTime() : Number.POSITIVE_INFINITY;
  return !leftTrace && isSurelyFirst({ firstForMs, markedForMs, oldestMs });
}
