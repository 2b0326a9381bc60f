import type { Beginning, Ending, Limited, Requests, SkuLimit } from '../ports.js';
import { RecentMap } from './recent-map.js';
import { type BucketRate, nearlyEmptyPartOf, partOf, TokenBuckets } from './token-buckets.js';

const shutMax = 10_000;

export interface LocalBucketsOptions {
  /** Absent: nobody shares the rates with this process. */
  requests: Pick<Requests, 'gateways'> | undefined;
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
 * bounded in number. Those of skus begin nearly empty unless this process is alone, so that a sku is let hardly more than
 * with Redis; a user's is full. A sku of which a no was heard is shut for a moment: everybody passes, to hear it.
 */
export class LocalBuckets {
  readonly #options: LocalBucketsOptions;
  readonly #now: () => number;
  readonly #skus = new TokenBuckets<string>();
  readonly #users = new TokenBuckets<string>();
  readonly #shutUntil = new RecentMap<string, number>(shutMax);

  constructor(options: LocalBucketsOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /**
   * Spends the user's token and one of each sku that is not shut, all or none. Else who refuses, and the exact time until all
   * would pass.
   */
  take({ userId, storeId, skus }: Pick<Beginning, 'userId' | 'storeId' | 'skus'>): Limited | undefined {
    const { user, requests } = this.#options;
    const now = this.#now();
    const userPart = partOf(user, requests?.gateways ?? 1);
    const open = skus.filter((sku) => !this.#isShut(keyOf(storeId, sku), now));
    let bar: Bar = { rate: user, skuId: undefined, waitMs: this.#users.waitMs(userId, userPart, now) };
    for (const sku of open) {
      const waitMs = this.#skus.waitMs(keyOf(storeId, sku), this.#partOfSku(sku), now);
      if (waitMs > bar.waitMs) bar = { rate: sku, skuId: sku.skuId, waitMs };
    }
    if (bar.waitMs > 0) return limitedBy(bar);

    this.#users.spend(userId, userPart, now);
    for (const sku of open) this.#skus.spend(keyOf(storeId, sku), this.#partOfSku(sku), now);
    return undefined;
  }

  /** What an answer says of its skus, as it is told with the end of a try. */
  heard(shut: Ending['shut']): void {
    for (const { storeId, skuId, forMs } of shut) {
      const key = keyOf(storeId, { skuId });
      if (forMs > 0) this.#shutUntil.set(key, this.#now() + forMs);
      else this.#shutUntil.delete(key);
    }
  }

  #isShut(key: string, now: number): boolean {
    const until = this.#shutUntil.get(key);
    return until !== undefined && now < until;
  }

  #partOfSku(sku: SkuLimit): BucketRate {
    const { requests } = this.#options;
    return requests === undefined ? sku : nearlyEmptyPartOf(sku, requests.gateways);
  }
}

// With its length in front, store "a:b" and sku "c" are not store "a" and sku "b:c".
function keyOf(storeId: string, { skuId }: Pick<SkuLimit, 'skuId'>): string {
  return `${storeId.length}:${storeId}${skuId}`;
}

function limitedBy({ rate, skuId, waitMs }: Bar): Limited {
  const { perSecond, burst } = rate;
  const retryAfterMs = Math.ceil(waitMs);
  if (skuId === undefined) return { kind: 'LIMITED', limit: 'USER', perSecond, burst, retryAfterMs };
  return { kind: 'LIMITED', limit: 'STORE_SKU', skuId, perSecond, burst, retryAfterMs };
}
