import type { OrderStory, RequestStory, StoryEvent, StoryOrder, UserStory } from '../../domain/story.js';
import { instantJson } from '../time-text.js';

/** As `explain order --json` prints it; names as in the contracts. */
export function orderStoryJson({ order, events }: OrderStory): object {
  return { order: order === undefined ? null : orderJson(order), events: events.map(eventJson) };
}

/** As `explain user --json` prints it. */
export function userStoryJson({ orders, events, units, limit }: UserStory): object {
  return { units, limit, orders: orders.map(orderJson), events: events.map(eventJson) };
}

/** As `explain request --json` prints it. */
export function requestStoryJson({ orders, events }: RequestStory): object {
  return { orders: orders.map(orderJson), events: events.map(eventJson) };
}

/** An order in short. */
export function orderJson(order: StoryOrder): object {
  return {
    order_id: order.orderId,
    store_id: order.storeId,
    user_id: order.userId,
    state: order.state,
    lines: order.lines.map(({ skuId, quantity, attendeeId }) => ({
      sku_id: skuId,
      quantity,
      attendee_id: attendeeId,
    })),
    amount_minor: order.amountMinor,
    currency: order.currency,
    created_at: instantJson(order.createdAt),
    expires_at: instantJson(order.expiresAt),
    refusal: order.refusal === '' ? null : order.refusal,
  };
}

function eventJson({ at, orderId, what, text }: StoryEvent): object {
  return { at: instantJson(at), order_id: orderId, what, text };
}
