import { ExplainServiceDefinition } from '#libs/contracts/gen/holdfast/control/v1/explain_service.js';
import { type Order, OrderState, RefusalReason } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import type { Stories } from '../../app/ports.js';
import type { StoryOrder } from '../../domain/story.js';
import { enumWord } from '../enum-word.js';
import type { Wire } from '../wire.js';

/** What happened, as the gateway tells it. */
export function storyCalls({ connect, options }: Wire): Stories {
  const explain = connect(ExplainServiceDefinition);
  return {
    async ofOrder(orderId) {
      const { order, events } = await explain.explainOrder({ orderId }, options);
      return { events, ...(order && { order: toStoryOrder(order) }) };
    },
    async ofUser(userId, skuId) {
      const { orders, ...story } = await explain.explainUser({ userId, skuId }, options);
      return { ...story, orders: orders.map(toStoryOrder) };
    },
    async ofRequest(asked) {
      const { orders, events } = await explain.explainRequest(asked, options);
      return { events, orders: orders.map(toStoryOrder) };
    },
  };
}

/** An order from the wire. */
export function toStoryOrder({ state, refusal, ...order }: Order): StoryOrder {
  const { orderId, storeId, userId, lines, amountMinor, currency, createdAt, expiresAt } = order;
  return {
    ...{ orderId, storeId, userId, lines, amountMinor, currency, createdAt, expiresAt },
    state: enumWord(OrderState[state], 'ORDER_STATE_'),
    refusal: refusal === undefined ? '' : enumWord(RefusalReason[refusal.reason], 'REFUSAL_REASON_'),
  };
}
