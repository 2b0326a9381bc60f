import type { StockedSku } from '../domain/sku.js';
import type { StoryOrder } from '../domain/story.js';
import { collectPages } from './collect-pages.js';
import type { Skus } from './ports.js';

const mostOrders = 2_000;

/** A sku, the orders that make it overbooked, newest first, and whether there are more of them. */
export interface Overbooked extends StockedSku {
  orders: StoryOrder[];
  isMore: boolean;
}

/** Which orders would have to go for a sku not to be overbooked. */
export async function listOverbooked(skus: Skus, skuId: string): Promise<Overbooked> {
  const stocked = await skus.getSku(skuId);
  const { items, isMore } = await collectPages((size, token) => skus.listOverbooked(skuId, size, token), mostOrders);
  return { ...stocked, orders: items, isMore };
}
