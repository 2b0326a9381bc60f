import { randomUUID } from 'node:crypto';
import { OrderDeskServiceDefinition } from '#libs/contracts/gen/holdfast/control/v1/order_desk_service.js';
import { Fault } from '#libs/refusal/fault.js';
import type { Orders } from '../../app/ports.js';
import type { Wire } from '../wire.js';

/** Orders as the gateway tells of them to operators. */
export function orderCalls({ connect, options }: Wire): Orders {
  const service = connect(OrderDeskServiceDefinition);
  return {
    async fulfil(which) {
      const request = { orderId: '', storeId: '', code: '', ...which, requestId: randomUUID() };
      const { order, changed } = await service.fulfilOrder(request, options);
      if (order === undefined) throw new Fault('INTERNAL', 'the gateway answered without the order');
      return { orderId: order.orderId, userId: order.userId, fulfilledAt: order.fulfilledAt, changed };
    },
    holdStats: (wanted) => service.getHoldStats(wanted, options),
    async movementsOf(skuId, pageSize, pageToken) {
      const request = { skuId, orderId: '', pageSize, pageToken };
      const { movements, nextPageToken } = await service.listMovements(request, options);
      return { items: movements, nextPageToken };
    },
  };
}
