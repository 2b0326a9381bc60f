import type { LimitsKey } from '#libs/contracts/gen/holdfast/inventory/v1/inventory_service.js';
import { OnBusy, type SkuLimits as SaidLimits } from '#libs/contracts/gen/holdfast/inventory/v1/sku.js';
import { Lane } from '#libs/lane/lane.js';
import { withinDeadline } from '#libs/runtime/within-deadline.js';
import type { Inventory, SkuLimit } from '../ports.js';
import { RecentMap } from './recent-map.js';
import type { BucketRate } from './token-buckets.js';

const keptMax = 10_000;
/** Keys in one call at most; the contract's own bound. */
const batchMax = 1_000;
/** What is older is read again before it is used: a change is followed by then. */
const freshMs = 2_000;
/** Twice as often, so that what is in use is always fresh. */
const refreshEveryMs = freshMs / 2;
/** Nobody waits longer to hear a limit. */
const answerWithinMs = 500;

export interface SkuLimitsOptions {
  batchGetLimits: Inventory['batchGetLimits'];
  /** What holds where neither sku nor store sets anything. */
  configured: BucketRate;
  /** Milliseconds that never go back (performance.now). */
  now?: () => number;
  answerWithinMs?: number;
}

interface Known {
  readonly key: LimitsKey;
  /** One limit in a list, as an order for one sku wants it. */
  limits: readonly [SkuLimit];
  /** When the reading began that heard them. */
  asOf: number;
  freshUntil: number;
  usedSince: boolean;
}

/**
 * The limits of skus as inventory says them, never older than two seconds while it can say them. Those in use are refreshed in
 * one call, so that a change is followed without anybody waiting for it. While inventory cannot say, what was last heard holds,
 * however old; what was never heard here is not guessed, because the store may take issued request ids only.
 */
export class SkuLimits {
  readonly #options: SkuLimitsOptions;
  readonly #now: () => number;
  readonly #known = new RecentMap<string, Known>(keptMax);
  readonly #lane: Lane<LimitsKey, SaidLimits>;
  /** Readings of which nothing was heard yet, by sku: all who want the same wait for the same one. */
  readonly #reading = new Map<string, Promise<readonly [SkuLimit]>>();
  readonly #refreshing: NodeJS.Timeout;
  #isRefreshing = false;

  constructor(options: SkuLimitsOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#lane = new Lane({
      name: 'sku-limits',
      run: (keys: LimitsKey[]) => options.batchGetLimits(keys, this.#waitMs),
      keyOf: ({ storeId }) => storeId,
      maxBatch: batchMax,
      maxWaiting: keptMax,
    });
    this.#refreshing = setInterval(() => void this.refresh(), refreshEveryMs).unref();
  }

  /**
   * The limits of skus of one store, in the order asked: at once when all are known and fresh. Undefined when one of them is not
   * known here and inventory does not say it in time. Never rejects.
   */
  of(storeId: string, skuIds: readonly string[]): readonly SkuLimit[] | Promise<readonly SkuLimit[] | undefined> {
    const [only] = skuIds;
    if (skuIds.length === 1 && only !== undefined) return this.#find(storeId, only) ?? this.#ask(storeId, only);
    const found: SkuLimit[] = [];
    for (const skuId of skuIds) {
      const limits = this.#find(storeId, skuId);
      if (limits === undefined) return this.#askSome(storeId, skuIds);
      found.push(limits[0]);
    }
    return found;
  }

  /** Asks again for what was used since the last time. Never rejects. */
  async refresh(): Promise<void> {
    if (this.#isRefreshing) return;
    this.#isRefreshing = true;
    const used = [...this.#known.entries()].map(([, known]) => known).filter((known) => known.usedSince);
    for (let start = 0; start < used.length; start += batchMax) {
      const batch = used.slice(start, start + batchMax);
      for (const known of batch) known.usedSince = false;
      const asOf = this.#now();
      const said = await this.#options
        .batchGetLimits(
          batch.map(({ key }) => key),
          this.#waitMs,
        )
        .catch(() => []);
      for (const [index, known] of batch.entries()) {
        const limits = said[index];
        if (limits === undefined) known.freshUntil = asOf + freshMs;
        else this.#hear(known, [this.#limitOf(limits, known.key)], asOf);
      }
    }
    this.#isRefreshing = false;
  }

  close(): void {
    clearInterval(this.#refreshing);
  }

  get #waitMs(): number {
    return this.#options.answerWithinMs ?? answerWithinMs;
  }

  #find(storeId: string, skuId: string): readonly [SkuLimit] | undefined {
    const known = this.#known.get(nameOf(storeId, skuId));
    if (known === undefined || known.freshUntil <= this.#now()) return undefined;
    known.usedSince = true;
    return known.limits;
  }

  async #askSome(storeId: string, skuIds: readonly string[]): Promise<readonly SkuLimit[] | undefined> {
    const asked = await Promise.all(skuIds.map((skuId) => this.#find(storeId, skuId) ?? this.#ask(storeId, skuId)));
    const limits = asked.flatMap((limit) => limit ?? []);
    return limits.length === skuIds.length ? limits : undefined;
  }

  async #ask(storeId: string, skuId: string): Promise<readonly [SkuLimit] | undefined> {
    const name = nameOf(storeId, skuId);
    const askedAt = this.#now();
    let reading = this.#reading.get(name);
    if (reading === undefined) {
      reading = this.#read(name, { storeId, skuId }).finally(() => this.#reading.delete(name));
      this.#reading.set(name, reading);
    }
    try {
      return await withinDeadline(reading, this.#waitMs, () => new Error('inventory does not say the limits in time'));
    } catch {
      const known = this.#known.get(name);
      if (known === undefined) return undefined;
      // The next ones do not wait for it again; the refreshing brings the true one as soon as inventory says it.
      known.freshUntil = Math.max(known.freshUntil, askedAt + freshMs);
      known.usedSince = true;
      return known.limits;
    }
  }

  async #read(name: string, key: LimitsKey): Promise<readonly [SkuLimit]> {
    const asOf = this.#now();
    const limits = [this.#limitOf(await this.#lane.add(key), key)] as const;
    const known = this.#known.get(name);
    if (known !== undefined) {
      known.usedSince = true;
      return this.#hear(known, limits, asOf);
    }
    this.#known.set(name, { key, limits, asOf, freshUntil: asOf + freshMs, usedSince: true });
    return limits;
  }

  /** What was heard last may have been read earlier than what is known. */
  #hear(known: Known, limits: readonly [SkuLimit], asOf: number): readonly [SkuLimit] {
    if (asOf < known.asOf) return known.limits;
    known.limits = limits;
    known.asOf = asOf;
    known.freshUntil = asOf + freshMs;
    return limits;
  }

  #limitOf(said: SaidLimits, { skuId }: LimitsKey): SkuLimit {
    const { perSecond, burst } = said.rateLimit ?? this.#options.configured;
    return {
      skuId,
      perSecond,
      burst,
      onBusy: said.onBusy === OnBusy.ON_BUSY_FAIL ? 'FAIL' : 'QUEUE',
      issuedOnly: said.requireIssuedRequestId,
    };
  }
}

function nameOf(storeId: string, skuId: string): string {
  return `${storeId.length}:${storeId}${skuId}`;
}
