import type { Beginning, Limited, SkuLimit } from './ports.js';
import { type BucketRate, shareOf, TokenBuckets } from './token-buckets.js';

export interface LocalBucketsOptions {
  /** How many gateways share the rates, as last heard. */
  gateways: () => number;
  user: BucketRate;
  /** Milliseconds that never go back (performance.now). */
  now?: () => number;
}

/** The one that lets a request through last. */
interface Bar {
  readonly rate: BucketRate;
  /** Undefined: the user's. */
  readonly skuId: string | undefined;
  readonly waitMs: number;
}

/**
 * What reservations pay with while Redis is away: buckets of this process, which get its part of each rate. They are
 * bounded in number and begin nearly empty, so that the ledger sees hardly more than with Redis, whatever is away.
 */
export class LocalBuckets {
  readonly #options: LocalBucketsOptions;
  readonly #now: () => number;
  readonly #skus = new TokenBuckets<string>();
  readonly #users = new TokenBuckets<string>();

  constructor(options: LocalBucketsOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Spends the user's token and one of each sku, all or none. Else who refuses, and the exact time until all would pass. */
  take({ userId, storeId, skus }: Pick<Beginning, 'userId' | 'storeId' | 'skus'>): Limited | undefined {
    const { user, gateways } = this.#options;
    const now = this.#now();
    const sharedBy = gateways();
    const userShare = shareOf(user, sharedBy);
    let bar: Bar = { rate: user, skuId: undefined, waitMs: this.#users.waitMs(userId, userShare, now) };
    for (const sku of skus) {
      const waitMs = this.#skus.waitMs(keyOf(storeId, sku), shareOf(sku, sharedBy), now);
      if (waitMs > bar.waitMs) bar = { rate: sku, skuId: sku.skuId, waitMs };
    }
    if (bar.waitMs > 0) return limitedBy(bar);

    this.#users.spend(userId, userShare, now);
    for (const sku of skus) this.#skus.spend(keyOf(storeId, sku), shareOf(sku, sharedBy), now);
    return undefined;
  }
}

// With its length in front, store "a:b" and sku "c" are not store "a" and sku "b:c".
function keyOf(storeId: string, { skuId }: SkuLimit): string {
  return `${storeId.length}:${storeId}${skuId}`;
}

function limitedBy({ rate, skuId, waitMs }: Bar): Limited {
  const { perSecond, burst } = rate;
  const retryAfterMs = Math.ceil(waitMs);
  if (skuId === undefined) return { kind: 'LIMITED', limit: 'USER', perSecond, burst, retryAfterMs };
  return { kind: 'LIMITED', limit: 'STORE_SKU', skuId, perSecond, burst, retryAfterMs };
}
