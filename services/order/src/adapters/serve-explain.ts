import { ExplainServiceDefinition } from '#libs/contracts/gen/holdfast/control/v1/explain_service.js';
import { orderId } from '#libs/contracts/order-id.js';
import { toOrderMessage } from '#libs/contracts/order-messages.js';
import type { Ledger } from '#libs/ledger/ledger.js';
import { implement, type ServiceImplementation } from '#libs/rpc/service.js';
import { refuseImpossible } from '../app/get-order.js';
import { tellStory } from '../app/tell-story.js';
import { RequestCheck } from './requests.js';

const mostOrders = 100;

/** The ExplainService on the wire: one read of the ledger a call, put into words. */
export function explainService(
  ledger: Pick<Ledger, 'orderExplain' | 'userExplain' | 'requestExplain'>,
): ServiceImplementation {
  return implement(ExplainServiceDefinition, {
    async explainOrder(request) {
      refuseImpossible(request.orderId);
      const { order, events } = await ledger.orderExplain(request.orderId);
      return { order: order && toOrderMessage(order), events: tellStory(events, order ? [order] : []) };
    },

    async explainUser({ userId, skuId }) {
      new RequestCheck().field('user_id', userId, 'id').field('sku_id', skuId, 'id').done();
      const { orders, events, units, limit } = await ledger.userExplain(userId, skuId, { atMost: mostOrders });
      return { orders: orders.map(toOrderMessage), events: tellStory(events, orders), units, limit };
    },

    async explainRequest({ requestId, userId, storeId }) {
      new RequestCheck()
        .field('request_id', requestId, 'longId')
        .optional('user_id', userId, 'id')
        .optional('store_id', storeId, 'id')
        .done();
      const asked = {
        requestId,
        ...(userId !== '' && { userId }),
        ...(userId !== '' && storeId !== '' && { orderId: orderId(storeId, userId, requestId) }),
      };
      const { orders, events } = await ledger.requestExplain(asked, { atMost: mostOrders });
      return { orders: orders.map(toOrderMessage), events: tellStory(events, orders) };
    },
  });
}
