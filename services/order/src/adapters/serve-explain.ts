import { ExplainServiceDefinition } from '#libs/contracts/gen/holdfast/control/v1/explain_service.js';
import { toOrderMessage } from '#libs/contracts/order-messages.js';
import type { Ledger } from '#libs/ledger/ledger.js';
import { implement, type ServiceImplementation } from '#libs/rpc/service.js';
import { refuseImpossible } from '../app/get-order.js';
import { tellStory } from '../app/tell-story.js';
import { RequestCheck } from './requests.js';

const mostOrders = 100;

/** The ExplainService on the wire: one read of the ledger a call, put into words. */
export function explainService(ledger: Pick<Ledger, 'orderExplain' | 'userExplain'>): ServiceImplementation {
  return implement(ExplainServiceDefinition, {
    async explainOrder({ orderId }) {
      refuseImpossible(orderId);
      const { order, events } = await ledger.orderExplain(orderId);
      return { order: toOrderMessage(order), events: tellStory(events, [order]) };
    },

    async explainUser({ userId, skuId }) {
      new RequestCheck().field('user_id', userId, 'id').field('sku_id', skuId, 'id').done();
      const { orders, events, units, limit } = await ledger.userExplain(userId, skuId, { atMost: mostOrders });
      return { orders: orders.map(toOrderMessage), events: tellStory(events, orders), units, limit };
    },
  });
}
