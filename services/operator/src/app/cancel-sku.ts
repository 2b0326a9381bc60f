import type { Sku } from '../domain/sku.js';
import type { Skus } from './ports.js';

/** Cancels the sale of a sku, whose store is looked up, for good. */
export async function cancelSku(skus: Skus, skuId: string, reason: string): Promise<Sku> {
  const { storeId } = (await skus.getSku(skuId)).sku;
  return skus.cancelSku({ storeId, skuId }, reason);
}
