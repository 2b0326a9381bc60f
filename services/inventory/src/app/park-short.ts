import type { Decision } from '#libs/ledger/decision.js';
import type { Ledger } from '#libs/ledger/ledger.js';
import type { SkuStock } from '#libs/ledger/rows.js';
import type { Logger } from '#libs/runtime/logger.js';
import { wantedBySku } from '../domain/lines.js';
import { saysNo } from '../domain/terms.js';
import type { Placement } from './placement.js';
import type { GateVerdict } from './ports.js';
import { skusOf } from './settle-claims.js';

const TURN_EVERY_MS = 20;
const TAKE_AT_ONCE = 500;

export interface ParkShortOptions {
  parkedRead: Ledger['parkedRead'];
  /** Sets the gates from the read and places from the head until one stays short. */
  placeAgain(placements: Placement[], now: Date, skus: SkuStock[]): Promise<GateVerdict[]>;
  /** Takes out of the journal what the ledger has decided of a sku. */
  settleKnown(shard: number, skuId: string): Promise<void>;
  /** The row of its order was found. */
  onDecided(placement: Placement, decision: Decision): void;
  /** A no that must be recorded, or a path past the gate because it does not answer. */
  admitDirectly(placement: Placement): void;
  onVerdict(placement: Placement, verdict: GateVerdict): void;
  logger: Logger;
}

interface Line {
  queue: Placement[];
  wake: (() => void) | undefined;
  /** Turns in a row in which the gate stayed short though the ledger has units free. */
  shortTurns: number;
}

/**
 * Where orders wait that the gate has too few units for, one line per sku in order of arrival, newcomers behind them.
 * A turn reads the ledger once for all who wait. Whoever it knows is answered; whoever it has too few for goes to be
 * refused by it; the rest are placed again. Short though the ledger has units free means that others are undecided:
 * the turn comes again on a decision, or after 20 ms.
 */
export class ParkShort {
  private readonly lines = new Map<string, Line>();

  constructor(private readonly options: ParkShortOptions) {}

  /** The sku behind whose waiting orders this one has to wait, if there is one. */
  behind(placement: Placement): string | undefined {
    if (this.lines.size === 0) return undefined;
    return placement.claim.lines.find((line) => this.lines.has(line.skuId))?.skuId;
  }

  get size(): number {
    let size = 0;
    for (const line of this.lines.values()) size += line.queue.length;
    return size;
  }

  park(placement: Placement, skuId: string): void {
    const line = this.lines.get(skuId);
    if (line) {
      line.queue.push(placement);
      return;
    }
    const opened: Line = { queue: [placement], wake: undefined, shortTurns: 0 };
    this.lines.set(skuId, opened);
    setImmediate(() => void this.serve(skuId, opened));
  }

  /** A decision on some order of these skus: who waits for one of them has a turn at once. */
  stir(skuIds: readonly string[]): void {
    if (this.lines.size === 0) return;
    for (const skuId of skuIds) this.lines.get(skuId)?.wake?.();
  }

  private async serve(skuId: string, line: Line): Promise<void> {
    while (line.queue.length > 0) {
      const taken = line.queue.splice(0, TAKE_AT_ONCE).filter((placement) => !placement.answered);
      const left = await this.turn(skuId, taken, line).catch((error: unknown) => {
        this.options.logger.warn(
          { err: error, skuId, orders: taken.length },
          'the ledger could not be asked about short orders',
        );
        return taken;
      });
      line.queue.unshift(...left);
      if (left.length > 0) await this.rest(line);
    }
    this.lines.delete(skuId);
  }

  /** Returns who has to wait for another turn, in order. */
  private async turn(skuId: string, placements: Placement[], line: Line): Promise<Placement[]> {
    const skuIds = [...new Set(placements.flatMap(({ claim }) => skusOf(claim.lines)))].sort();
    const read = await this.options.parkedRead({
      claims: placements.map(({ claim }) => claim),
      skuIds,
      attendees: [],
    });
    const known = new Map(read.orders.map((decision) => [decision.orderId, decision]));
    const stock = new Map(read.skus.map((sku) => [sku.skuId, sku]));

    const candidates: Placement[] = [];
    for (const placement of placements) {
      const decision = known.get(placement.claim.orderId);
      if (decision) this.options.onDecided(placement, decision);
      else if (this.ledgerSaysNo(placement, stock, read.now)) this.options.admitDirectly(placement);
      else candidates.push(placement);
    }
    if (candidates.length === 0) return [];
    return this.placeAgain(skuId, candidates, read.now, read.skus, line);
  }

  private async placeAgain(
    skuId: string,
    candidates: Placement[],
    now: Date,
    skus: SkuStock[],
    line: Line,
  ): Promise<Placement[]> {
    let verdicts: GateVerdict[];
    try {
      verdicts = await this.options.placeAgain(candidates, now, skus);
    } catch {
      for (const placement of candidates) this.options.admitDirectly(placement);
      return [];
    }
    const short: Placement[] = [];
    candidates.forEach((placement, i) => {
      const verdict = verdicts[i];
      if (!verdict || verdict.code === 'SHORT' || verdict.code === 'NOT_LOADED' || verdict.code === 'CLOSED')
        short.push(placement);
      else this.options.onVerdict(placement, verdict);
    });
    line.shortTurns = short.length === 0 ? 0 : line.shortTurns + 1;
    const [head] = short;
    if (head && line.shortTurns > 1) await this.options.settleKnown(head.shard, skuId);
    return short;
  }

  private ledgerSaysNo({ claim }: Placement, stock: Map<string, SkuStock>, now: Date): boolean {
    for (const [skuId, wanted] of wantedBySku(claim.lines)) {
      const sku = stock.get(skuId);
      if (!sku || sku.storeId !== claim.storeId || saysNo(sku, wanted, now)) return true;
    }
    return false;
  }

  private rest(line: Line): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        line.wake = undefined;
        resolve();
      };
      const timer = setTimeout(wake, TURN_EVERY_MS);
      line.wake = wake;
    });
  }
}
