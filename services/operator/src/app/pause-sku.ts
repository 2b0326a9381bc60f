import type { Sku } from '../domain/sku.js';
import type { Skus } from './ports.js';

/** Stops the sale of a sku, whose store is looked up. */
export async function pauseSku(skus: Skus, skuId: string, reason: string): Promise<Sku> {
  const { storeId } = (await skus.getSku(skuId)).sku;
  return skus.pauseSku({ storeId, skuId }, reason);
}
