import { faultOf } from '#libs/refusal/fault.js';
import type { StoryOrder } from '../domain/story.js';
import { listOverbooked, type Overbooked } from './list-overbooked.js';
import type { Skus } from './ports.js';

/** What became of one order: where it is now, or why it stays. */
export interface Moved {
  order: StoryOrder;
  /** In capitals, such as SOLD_OUT or ORDER_STATE; empty: it moved. */
  refusal: string;
}

/**
 * Moves the orders that make a sku overbooked to another one, the latest first. One that cannot move stops nothing, and
 * stays. UNAVAILABLE stops: nobody knows what became of that one, and the same again moves only what is left.
 */
export async function moveOverbooked(
  skus: Skus,
  { skuId, toSkuId }: { skuId: string; toSkuId: string },
): Promise<Overbooked & { moved: Moved[] }> {
  const listed = await listOverbooked(skus, skuId);
  const moved: Moved[] = [];
  for (const order of listed.orders) {
    moved.push({ order, refusal: await move(skus, { orderId: order.orderId, fromSkuId: skuId, toSkuId }) });
  }
  return { ...listed, ...(await skus.getSku(skuId)), moved };
}

async function move(skus: Skus, wanted: Parameters<Skus['moveOrder']>[0]): Promise<string> {
  try {
    return await skus.moveOrder(wanted);
  } catch (error) {
    // It ended, or was used, since it was listed.
    const { reason } = faultOf(error);
    if (reason !== 'ORDER_STATE' && reason !== 'INVALID_REQUEST') throw error;
    return reason;
  }
}
