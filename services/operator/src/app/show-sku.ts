import type { StockedSku } from '../domain/sku.js';
import { bearingOn, decidingSwitch, isSet, type Switch } from '../domain/switches.js';
import type { Gateway } from './ports.js';

/** A sku, and the switches that bear on it. */
export interface SkuShown extends StockedSku {
  /** The widest scope first; those that say nothing of their own are left out. */
  switches: Switch[];
  /** Absent: the breakers decide. */
  deciding: Switch | undefined;
}

/** Reads both; SKU_NOT_FOUND when there is no such sku. */
export async function showSku(
  { skus, switches }: Pick<Gateway, 'skus' | 'switches'>,
  skuId: string,
  now: Date,
): Promise<SkuShown> {
  const [stocked, all] = await Promise.all([skus.getSku(skuId), switches.getSwitches()]);
  const scope = { kind: 'sku', storeId: stocked.sku.storeId, skuId } as const;
  return {
    ...stocked,
    switches: bearingOn(scope, all).filter((candidate) => isSet(candidate, now)),
    deciding: decidingSwitch('stock_path', scope, all, now),
  };
}
