import type { Rate } from '../domain/limit-change.js';
import type { Gateway, SkuLimits, StoreLimits } from './ports.js';

/** What to show: a store, a sku whose store is looked up, or a sku that must be of that store. */
export interface LimitsWanted {
  storeId?: string;
  skuId?: string;
}

/** The limits of a store and of its skus, or of the one sku that was asked for. */
export interface LimitsShown {
  configured?: Rate;
  store: StoreLimits;
  skus: SkuLimits[];
}

/** Reads all pages. A sku that the store does not have is not among the result. */
export async function showLimits(
  { limits, skus: known }: Pick<Gateway, 'limits' | 'skus'>,
  { storeId, skuId }: LimitsWanted,
): Promise<LimitsShown> {
  const ofStore = storeId ?? (await known.getSku(skuId ?? '')).sku.storeId;
  const first = await limits.listLimits(ofStore, '');
  const skus = [...first.skus];
  for (let token = first.nextPageToken; token !== ''; ) {
    const page = await limits.listLimits(ofStore, token);
    skus.push(...page.skus);
    token = page.nextPageToken;
  }
  return {
    ...(first.configured && { configured: first.configured }),
    store: first.store,
    skus: skuId === undefined ? skus : skus.filter((sku) => sku.skuId === skuId),
  };
}
