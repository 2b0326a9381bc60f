import type { Order } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import { Lane } from '#libs/lane/lane.js';
import type { Orders } from './ports.js';

/**
 * Reads the orders that refusals name, so that whoever returns sees their own. A crowd that returns at once asks for each
 * order once a batch, and a few batches at a time. The refusal stands without it: what cannot be read is undefined.
 */
export function createOwnOrders(orders: Orders): (orderId: string, userId: string) => Promise<Order | undefined> {
  const lane = new Lane({ name: 'own-orders', run: readAll, maxBatch: 32, turns: 2, maxWaiting: 1_000 });
  return (orderId, userId) => lane.add({ orderId, userId }).catch(() => undefined);

  function readAll(wanted: { orderId: string; userId: string }[]): Promise<(Order | undefined)[]> {
    const reads = new Map<string, Promise<Order | undefined>>();
    const read = (order: { orderId: string; userId: string }): Promise<Order | undefined> => {
      const key = `${order.orderId} ${order.userId}`;
      const reading = reads.get(key) ?? orders.find(order).catch(() => undefined);
      reads.set(key, reading);
      return reading;
    };
    return Promise.all(wanted.map(read));
  }
}
