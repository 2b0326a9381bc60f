import type { LimitsKey } from '#libs/contracts/gen/holdfast/inventory/v1/inventory_service.js';
import { OnBusy, type SkuLimits as SaidLimits } from '#libs/contracts/gen/holdfast/inventory/v1/sku.js';
import { Lane } from '#libs/lane/lane.js';
import { withinDeadline } from '#libs/runtime/within-deadline.js';
import type { Inventory, SkuLimit } from './ports.js';
import { RecentMap } from './recent-map.js';
import type { BucketRate } from './token-buckets.js';

const keptMax = 10_000;
/** Keys in one call at most; the contract's own bound. */
const batchMax = 1_000;
const refreshEveryMs = 2_000;
/** What nobody used for so long is asked for anew, instead of being told as it once was. */
const staleAfterMs = 10_000;
/** Nobody waits longer to hear a limit. */
const answerWithinMs = 500;

export interface SkuLimitsOptions {
  batchGetLimits: Inventory['batchGetLimits'];
  /** What holds where neither sku nor store sets anything, and while inventory cannot say. */
  configured: BucketRate;
  /** Milliseconds that never go back (performance.now). */
  now?: () => number;
  answerWithinMs?: number;
}

interface Known {
  readonly key: LimitsKey;
  /** One limit in a list, as an order for one sku wants it. */
  limits: readonly [SkuLimit];
  usedSince: boolean;
  staleAt: number;
}

/**
 * The limits of skus as inventory says them. Those in use are refreshed every two seconds in one call, so that a change is
 * followed without anybody waiting for it. While inventory cannot say, what was last heard holds, else what is configured.
 */
export class SkuLimits {
  readonly #options: SkuLimitsOptions;
  readonly #now: () => number;
  readonly #known = new RecentMap<string, Known>(keptMax);
  readonly #asking: Lane<LimitsKey, SaidLimits>;
  readonly #refreshing: NodeJS.Timeout;
  #isRefreshing = false;

  constructor(options: SkuLimitsOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#asking = new Lane({
      name: 'sku-limits',
      run: (keys: LimitsKey[]) => options.batchGetLimits(keys, this.#waitMs),
      keyOf: ({ storeId }) => storeId,
      maxBatch: batchMax,
      maxWaiting: keptMax,
    });
    this.#refreshing = setInterval(() => void this.refresh(), refreshEveryMs).unref();
  }

  /** The limits of skus of one store, in the order asked: at once when all are known. Never rejects. */
  of(storeId: string, skuIds: readonly string[]): readonly SkuLimit[] | Promise<readonly SkuLimit[]> {
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
      const said = await this.#options
        .batchGetLimits(
          batch.map(({ key }) => key),
          this.#waitMs,
        )
        .catch(() => []);
      const staleAt = this.#now() + staleAfterMs;
      for (const [index, known] of batch.entries()) {
        const limits = said[index];
        if (limits !== undefined) known.limits = [this.#limitOf(limits, known.key)];
        known.staleAt = staleAt;
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
    if (known === undefined || known.staleAt <= this.#now()) return undefined;
    known.usedSince = true;
    return known.limits;
  }

  async #askSome(storeId: string, skuIds: readonly string[]): Promise<readonly SkuLimit[]> {
    const asked = await Promise.all(skuIds.map((skuId) => this.#find(storeId, skuId) ?? this.#ask(storeId, skuId)));
    return asked.map(([limit]) => limit);
  }

  async #ask(storeId: string, skuId: string): Promise<readonly [SkuLimit]> {
    const key = { storeId, skuId };
    const late = (): Error => new Error('inventory does not say the limits in time');
    let limits: readonly [SkuLimit];
    try {
      limits = [this.#limitOf(await withinDeadline(this.#asking.add(key), this.#waitMs, late), key)];
    } catch {
      // Kept like an answer: the next ones do not wait for it again, and the refreshing brings the true one.
      limits = this.#known.get(nameOf(storeId, skuId))?.limits ?? [this.#limitOf(undefined, key)];
    }
    this.#known.set(nameOf(storeId, skuId), { key, limits, usedSince: true, staleAt: this.#now() + staleAfterMs });
    return limits;
  }

  #limitOf(said: SaidLimits | undefined, { skuId }: LimitsKey): SkuLimit {
    const { perSecond, burst } = said?.rateLimit ?? this.#options.configured;
    return {
      skuId,
      perSecond,
      burst,
      onBusy: said?.onBusy === OnBusy.ON_BUSY_FAIL ? 'FAIL' : 'QUEUE',
      issuedOnly: said?.requireIssuedRequestId ?? false,
    };
  }
}

function nameOf(storeId: string, skuId: string): string {
  return `${storeId.length}:${storeId}${skuId}`;
}
