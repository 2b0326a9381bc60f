import type { StockedSku } from '../domain/sku.js';
import type { Skus } from './ports.js';

/** How many units there shall be, and whether also fewer than are taken. */
export interface CapacityChange {
  skuId: string;
  capacity: number;
  force: boolean;
  reason: string;
}

/** Changes the capacity of a sku, whose store is looked up. CAPACITY_BELOW_TAKEN unless forced. */
export async function setCapacity(skus: Skus, { skuId, ...change }: CapacityChange): Promise<StockedSku> {
  const { storeId } = (await skus.getSku(skuId)).sku;
  return skus.setCapacity({ storeId, skuId }, change);
}
