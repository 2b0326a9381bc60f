import type { Sku } from '../domain/sku.js';
import type { Skus } from './ports.js';

/** Ends the pause of a sku, whose store is looked up. */
export async function resumeSku(skus: Skus, skuId: string, reason: string): Promise<Sku> {
  const { storeId } = (await skus.getSku(skuId)).sku;
  return skus.resumeSku({ storeId, skuId }, reason);
}
