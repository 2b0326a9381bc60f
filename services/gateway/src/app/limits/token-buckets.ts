import { RecentMap } from './recent-map.js';

/** How many tokens a bucket gets, and holds at most. Neither need be whole. */
export interface BucketRate {
  readonly perSecond: number;
  readonly burst: number;
}

/** This gateway's part of a rate and its burst, which all of them share. */
export function partOf({ perSecond, burst }: BucketRate, gateways: number): BucketRate {
  const sharedBy = Math.max(1, gateways);
  return { perSecond: perSecond / sharedBy, burst: Math.max(1, burst / sharedBy) };
}

/** Likewise with a burst of a tenth of a second, for a rate of which no burst may pass beside the shared one. */
export function nearlyEmptyPartOf({ perSecond, burst }: BucketRate, gateways: number): BucketRate {
  const share = perSecond / Math.max(1, gateways);
  // A gateway that begins to go by itself begins with full buckets, and so does every other one. With bursts so small all
  // of them together give out a percent more than the rate over ten seconds, not a whole burst each.
  return { perSecond: share, burst: Math.min(burst, Math.max(1, share / 10)) };
}

/**
 * Token buckets in the memory of this process, one for each key: GCRA, of which a bucket keeps one number, the instant at
 * which it will be full again. The buckets used least recently are dropped when there are too many; a dropped one is full.
 */
export class TokenBuckets<Key> {
  readonly #fullAt: RecentMap<Key, number>;

  constructor(keysMax = 10_000) {
    this.#fullAt = new RecentMap(keysMax);
  }

  get size(): number {
    return this.#fullAt.size;
  }

  /** Milliseconds from `now` until the bucket has a token; 0 when it has one. */
  waitMs(key: Key, { perSecond, burst }: BucketRate, now: number): number {
    const fullAt = this.#fullAt.get(key);
    if (fullAt === undefined) return 0;
    const waitMs = fullAt - ((burst - 1) * 1_000) / perSecond - now;
    // Less is the error of adding fractions up.
    return waitMs > 0.001 ? waitMs : 0;
  }

  /** Takes a token that is known to be there. */
  spend(key: Key, { perSecond }: BucketRate, now: number): void {
    const fullAt = Math.max(this.#fullAt.get(key) ?? 0, now);
    this.#fullAt.set(key, fullAt + 1_000 / perSecond);
  }
}
