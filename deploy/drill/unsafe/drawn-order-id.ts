import { randomUUID } from 'node:crypto';
import type { orderId } from '#libs/contracts/order-id.js';

/** Another id for each try of the same request. */
export function unsafe(real: typeof orderId): typeof orderId {
  return (storeId, userId) => real(storeId, userId, randomUUID());
}
