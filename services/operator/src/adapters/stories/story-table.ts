import type { Paint } from '#libs/terminal/paint.js';
import { type Column, renderTable } from '#libs/terminal/table.js';
import type { OrderStory, RequestStory, StoryEvent, StoryOrder, UserStory } from '../../domain/story.js';
import { priceText } from '../skus/sku-table.js';
import { instantText } from '../time-text.js';

const orderColumns: Column[] = [
  { title: 'order' },
  { title: 'state' },
  { title: 'user' },
  { title: 'lines' },
  { title: 'amount', side: 'right' },
  { title: 'created at' },
  { title: 'expires at' },
];

/** An order and what happened to it. */
export function orderStoryText({ order, events }: OrderStory, paint: Paint): string {
  const head = order === undefined ? 'there is no row of this order' : ordersTable([order], paint);
  return `${head}\n\n${eventsTable(events, false)}`;
}

/** What a person has, their orders, and what happened. */
export function userStoryText({ orders, events, units, limit }: UserStory, paint: Paint): string {
  const has = `has ${units} of at most ${limit} ${limit === 1 ? 'unit' : 'units'}`;
  const list = orders.length === 0 ? 'no order of this sku' : ordersTable(orders, paint);
  return `${list}\n\n${eventsTable(events, orders.length > 1)}\n\n${has}`;
}

/** The orders of a request, and what happened. */
export function requestStoryText({ orders, events }: RequestStory, paint: Paint): string {
  const list = orders.length === 0 ? 'no order of this request' : ordersTable(orders, paint);
  return `${list}\n\n${eventsTable(events, new Set(events.map(({ orderId }) => orderId)).size > 1)}`;
}

/** Orders, a line each. */
export function ordersTable(orders: readonly StoryOrder[], paint: Paint): string {
  const rows = orders.map((order) => [
    order.orderId,
    paint('bold', `${order.state}${order.refusal === '' ? '' : ` (${order.refusal})`}`),
    order.userId,
    order.lines
      .map(({ skuId, quantity, attendeeId }) => lineText(skuId, quantity, attendeeId, order.userId))
      .join(', '),
    priceText(order.amountMinor, order.currency),
    instantText(order.createdAt),
    instantText(order.expiresAt),
  ]);
  return renderTable(orderColumns, rows);
}

function lineText(skuId: string, quantity: number, attendeeId: string, userId: string): string {
  return `${quantity} x ${skuId}${attendeeId === '' || attendeeId === userId ? '' : ` for ${attendeeId}`}`;
}

function eventsTable(events: readonly StoryEvent[], ofMany: boolean): string {
  if (events.length === 0) return 'nothing happened that is known of';
  const columns = [{ title: 'when' }, ...(ofMany ? [{ title: 'order' }] : []), { title: 'what' }, { title: '' }];
  return renderTable(
    columns,
    events.map(({ at, orderId, what, text }) => [momentText(at), ...(ofMany ? [orderId] : []), what, text]),
  );
}

/** Much happens within a second. */
function momentText(at: Date | undefined): string {
  return at === undefined ? '-' : at.toISOString().replace('T', ' ');
}
