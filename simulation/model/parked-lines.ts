import { isSurelyFirst } from '../../services/inventory/src/domain/surely-first.js';
import type { Rule } from '../planted.js';
import { ask, type Flow } from './flow.js';
import { claimsList, claimsSettle, gatesSync, holdsPlace } from './gate-scripts.js';
import type { Attempted, Inventory } from './inventory.js';
import type { Ledger } from './ledger.js';
import type { Mesh } from './mesh.js';
import { settlementsOf } from './sweep.js';

type Read = ReturnType<Ledger['parkedRead']>;

interface Line {
  queue: Attempted[];
  isBusy: boolean;
}

/** Where those wait for whom the gate has too few, as park-short.ts has it: one line a sku, newcomers behind. */
export class ParkedLines {
  readonly #lines = new Map<string, Line>();

  constructor(
    private readonly mesh: Mesh,
    private readonly inventory: Inventory,
  ) {}

  get size(): number {
    return this.#lines.size;
  }

  behind({ claim }: Attempted): string | undefined {
    return claim.lines.find(({ skuId }) => this.#lines.has(skuId))?.skuId;
  }

  park(placement: Attempted, skuId: string): void {
    const line = this.#lines.get(skuId);
    if (line) line.queue.push(placement);
    else this.#lines.set(skuId, { queue: [placement], isBusy: false });
    if (!line) this.turn(skuId);
  }

  /** A turn for everybody. */
  stir(): void {
    for (const skuId of [...this.#lines.keys()]) this.turn(skuId);
  }

  /** Has a turn, unless one is under way. A line without anybody in it ends. */
  turn(skuId: string): void {
    const line = this.#lines.get(skuId);
    if (!line || line.isBusy) return;
    if (line.queue.every(({ answered }) => answered)) {
      this.#lines.delete(skuId);
      return;
    }
    line.isBusy = true;
    this.mesh.world.spawn(this.inventory.process, `turn of those short of ${skuId}`, this.#turn(skuId, line));
  }

  *#turn(skuId: string, line: Line): Flow {
    const taken = line.queue.filter(({ answered }) => !answered);
    line.queue = [];
    let left = taken;
    try {
      left = yield* this.#askLedger(skuId, taken);
    } catch {
      // All of them wait for another turn.
    }
    line.queue.unshift(...left);
    line.isBusy = false;
    if (left.length === 0 && line.queue.length === 0) this.#lines.delete(skuId);
  }

  *#askLedger(skuId: string, placements: Attempted[]): Flow<Attempted[]> {
    const { ledger, rules, world } = this.mesh;
    // Asked before the ledger: a claim that has left the stream by now has its row in the read.
    const oldestMs = this.#oldestMs();
    const read = yield* ask('LEDGER', () => ledger.parkedRead(placements.map(({ claim }) => claim)));
    const candidates: Attempted[] = [];
    for (const [i, placement] of placements.entries()) {
      const { known, no } = read.words[i] ?? {};
      if (known) this.inventory.decided(placement, known);
      else if (!no) candidates.push(placement);
      else if (isFirst(placement, read, oldestMs, rules)) {
        world.note?.(
          `${this.inventory.process.name}: ${placement.claim.by.person.name} is read as short, surely the first`,
        );
        if (no.kind === 'REFUSED') this.mesh.witness.read(no.refusal);
        this.inventory.decided(placement, no);
      } else this.inventory.direct.add(placement);
    }
    return candidates.length === 0 ? [] : yield* this.#placeAgain(skuId, candidates, read);
  }

  #oldestMs(): number | undefined {
    const { oldest, process } = this.inventory;
    const { nowMs } = this.mesh.world;
    if (!oldest) return undefined;
    return 'emptyAtMs' in oldest ? nowMs - oldest.emptyAtMs : nowMs + process.clockOffMs - oldest.storedAtMs;
  }

  *#placeAgain(skuId: string, candidates: Attempted[], { nowMs, skus }: Read): Flow<Attempted[]> {
    const { redis, rules, world } = this.mesh;
    const short: Attempted[] = [];
    try {
      yield* ask('REDIS', () => gatesSync(redis, nowMs, skus, rules));
      const verdicts = yield* ask('REDIS', () => candidates.map(({ claim }) => holdsPlace(redis, claim, rules)));
      for (const [i, placement] of candidates.entries()) {
        const verdict = verdicts[i];
        world.note?.(
          `${this.inventory.process.name}: the gate says ${verdict?.code} to ${placement.claim.by.person.name} again`,
        );
        if (!verdict || 'skuId' in verdict) short.push(placement);
        else this.inventory.route(placement, verdict);
      }
    } catch {
      for (const placement of candidates) this.inventory.direct.add(placement);
      return [];
    }
    if (short.length === candidates.length) yield* this.#settleKnown(skuId);
    return short;
  }

  *#settleKnown(skuId: string): Flow {
    const { ledger, redis } = this.mesh;
    try {
      const entries = yield* ask('REDIS', () => claimsList(redis, skuId, 0));
      const orders = yield* ask('LEDGER', () => ledger.ordersRead(entries.map(({ orderId }) => orderId)));
      yield* ask('REDIS', () => claimsSettle(redis, settlementsOf(entries, orders)));
    } catch {
      // The next turn tries again.
    }
  }
}

function isFirst(placement: Attempted, read: Read, oldestMs: number | undefined, rules: ReadonlySet<Rule>): boolean {
  if (rules.has('hasty-no')) return true;
  if (rules.has('nobody-first')) return false;
  const { firstForMs, leftTrace } = placement;
  const { nowMs, unmarkedUntilMs } = read;
  const isNew = rules.has('since-not-asked') && firstForMs !== undefined && firstForMs > 0;
  return (
    !leftTrace &&
    isSurelyFirst({
      firstForMs: isNew ? Number.POSITIVE_INFINITY : firstForMs,
      markedForMs: unmarkedUntilMs === undefined ? Number.POSITIVE_INFINITY : nowMs - unmarkedUntilMs,
      oldestMs: rules.has('oldest-not-asked') ? 0 : oldestMs,
    })
  );
}
