import type { LimitChange, OnBusy, Rate } from '../domain/limit-change.js';

/** Who set a rate limit. */
export type LimitSource = 'sku' | 'store' | 'configured';

/** What a store sets for all its skus. */
export interface StoreLimits {
  storeId: string;
  /** Absent: the store sets none. */
  rate?: Rate;
  requireIssuedRequestId: boolean;
}

/** What holds for requests for one sku. */
export interface SkuLimits {
  storeId: string;
  skuId: string;
  /** Absent: what the gateways are configured with. */
  rate?: Rate;
  source: LimitSource;
  onBusy: OnBusy;
  requireIssuedRequestId: boolean;
}

/** One page of a store's limits; an empty token is the only end. */
export interface LimitsPage {
  /** What holds where neither sku nor store sets anything. */
  configured?: Rate;
  store: StoreLimits;
  skus: SkuLimits[];
  nextPageToken: string;
}

/** What now holds for what was set. */
export interface LimitsSet {
  store?: StoreLimits;
  sku?: SkuLimits;
}

/** The gateway as operators use it. Everything rejects with a Fault. */
export interface Control {
  listLimits(storeId: string, pageToken: string): Promise<LimitsPage>;
  setLimits(change: LimitChange): Promise<LimitsSet>;
  /** The store of a sku; SKU_NOT_FOUND when there is no such sku. */
  storeOf(skuId: string): Promise<string>;
}
