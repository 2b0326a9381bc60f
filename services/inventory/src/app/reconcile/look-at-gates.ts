import { shardOfStore } from '#libs/contracts/order-id.js';
import type { Finding } from '#libs/ledger/reconcile-plans.js';
import type { SkuStock } from '#libs/ledger/rows.js';
import { type GateFault, type GateReading, judgeGate, stoodStill } from '../../domain/gate-judgement.js';
import type { Settlement } from '../ports.js';
import { decidedClaims, settle } from '../sweep-journal.js';
import { moment } from './pace.js';
import type { GateParts, ReconcileLedger } from './ports.js';

/** A claim that is older was past the sweep several times: decided, it should have left the journal long ago. */
const SETTLED_AFTER_MS = 5_000;
const MOST_SUSPECTS = 1_000;

/** A gate that looked wrong once. */
interface Suspect {
  readonly shard: number;
  readonly skuId: string;
  readonly reading: GateReading;
  readonly fault: GateFault;
  readonly stock: SkuStock;
}

/** The journal of one sku. */
interface JournalPlace {
  readonly shard: number;
  readonly skuId: string;
}

interface DecidedClaims extends JournalPlace {
  readonly settlements: readonly Settlement[];
}

export interface GatesLookOptions extends GateParts {
  readonly ledger: Pick<ReconcileLedger, 'stockRead' | 'decisionsRead'>;
  /** Between two looks at one gate: longer than a sync that is due may take. */
  readonly momentMs: number;
  readonly signal: AbortSignal;
}

/**
 * Looks at gates and journals beside the ledger and mends what is wrong at rest. Nothing here is for a person to decide:
 * the ledger has the last word in any case, and a gate that is emptied costs time and no unit.
 */
export class GatesLook {
  readonly findings: Finding[] = [];
  #suspects: Suspect[] = [];
  /** Claims that are decided and in the journal, by shard and sku. */
  #decided: DecidedClaims[] = [];

  constructor(private readonly options: GatesLookOptions) {}

  /** One look at the gates of some skus. */
  async look(skuIds: readonly string[]): Promise<void> {
    const { suspects, old } = await this.#judge((await this.options.ledger.stockRead(skuIds)).skus);
    this.#suspects.push(...suspects);
    for (const place of old) this.#decided.push({ ...place, settlements: await this.#decidedOf(place) });
    if (this.#suspects.length + this.#decided.length >= MOST_SUSPECTS) await this.confirm();
  }

  /** The second look at all that looked wrong. What is the same by then is found, and mended. */
  async confirm(): Promise<void> {
    const before = new Map(this.#suspects.map((suspect) => [suspect.skuId, suspect]));
    const decided = this.#decided.filter(({ settlements }) => settlements.length > 0);
    this.#suspects = [];
    this.#decided = [];
    if (before.size + decided.length === 0) return;
    await moment(this.options.momentMs, this.options.signal);
    for (const claims of decided) await this.#settle(claims);
    const again = await this.#judge([...before.values()].map(({ stock }) => stock));
    const wrong = again.suspects.filter((suspect) => isSame(before.get(suspect.skuId), suspect));
    if (wrong.length === 0) return;
    await this.#mend(wrong);
    const left = (await this.#judge(wrong.map(({ stock }) => stock))).suspects;
    // A gate that only lags was passed by an order that went straight to the ledger: that is no fault.
    for (const suspect of wrong.filter(({ fault }) => fault !== 'GATE_STALE')) {
      const mended = !left.some((other) => isSame(suspect, other));
      this.findings.push(toFinding(suspect, mended));
    }
  }

  /** Gates first and then the ledger, so that no gate is ahead of what it was set from. */
  async #judge(stocks: readonly SkuStock[]): Promise<{ suspects: Suspect[]; old: JournalPlace[] }> {
    const gates = new Map<string, { shard: number; reading: GateReading }>();
    const old: JournalPlace[] = [];
    for (const [shard, skuIds] of this.#byShard(stocks)) {
      const readings = await this.options.inspection.read(shard, skuIds);
      for (const [place, skuId] of skuIds.entries()) {
        const reading = readings[place];
        if (reading && (reading.state !== 'MISSING' || reading.listed.closing)) gates.set(skuId, { shard, reading });
        if (reading?.state === 'LOADED' && reading.oldestClaimMs >= SETTLED_AFTER_MS) old.push({ shard, skuId });
      }
    }
    if (gates.size === 0) return { suspects: [], old };
    const { skus } = await this.options.ledger.stockRead([...gates.keys()]);
    const suspects = skus.flatMap((stock) => {
      const gate = gates.get(stock.skuId);
      const fault = gate && judgeGate(gate.reading, stock);
      return gate && fault ? [{ ...gate, skuId: stock.skuId, fault, stock }] : [];
    });
    return { suspects, old };
  }

  #decidedOf({ shard, skuId }: JournalPlace): Promise<Settlement[]> {
    const { gate, ledger } = this.options;
    return decidedClaims(gate, ledger, { shard, skuId, leastAgeMs: SETTLED_AFTER_MS });
  }

  /** Takes decided claims out of the journal that are still there: nobody else will. */
  async #settle({ settlements, ...place }: DecidedClaims): Promise<void> {
    const { shard, skuId } = place;
    const before = new Set(settlements.map(({ orderId }) => orderId));
    const left = (await this.#decidedOf(place)).filter(({ orderId }) => before.has(orderId));
    await settle(this.options.gate, shard, left);
    for (const { orderId } of left)
      this.findings.push({ kind: 'CLAIM_SETTLED', skuId, orderId, detail: {}, remedy: '', mended: true });
  }

  async #mend(suspects: readonly Suspect[]): Promise<void> {
    const versions = new Map(suspects.map(({ skuId, stock }) => [skuId, stock.version]));
    for (const [shard, skuIds] of this.#byShard(suspects.map(({ stock }) => stock)))
      await this.options.inspection.mend(
        shard,
        skuIds.map((skuId) => ({ skuId, version: versions.get(skuId) ?? 0 })),
      );
    await this.options.syncGates.syncSkus([...versions.keys()]);
  }

  #byShard(stocks: readonly SkuStock[]): Map<number, string[]> {
    const shards = new Map<number, string[]>();
    for (const { storeId, skuId } of stocks) {
      const shard = shardOfStore(storeId, this.options.shards);
      const list = shards.get(shard);
      if (list) list.push(skuId);
      else shards.set(shard, [skuId]);
    }
    return shards;
  }
}

/** Wrong in the same way, gate and stock as they were: nothing is in motion there. */
function isSame(before: Suspect | undefined, after: Suspect): boolean {
  return (
    before?.fault === after.fault &&
    before.stock.version === after.stock.version &&
    stoodStill(before.reading, after.reading)
  );
}

function toFinding({ skuId, fault, reading, stock }: Suspect, mended: boolean): Finding {
  const figures =
    reading.state === 'LOADED'
      ? {
          let_in: reading.letIn,
          undecided: reading.undecided,
          undecided_of_claims: reading.undecidedOfClaims ?? null,
          claims: reading.claims,
          version: reading.version,
        }
      : {};
  const detail = { ...figures, free: stock.free, stock_version: stock.version };
  return { kind: fault, skuId, detail, remedy: '', mended };
}
