import { createHash } from 'node:crypto';
import type { Availability } from '#libs/contracts/gen/holdfast/inventory/v1/sku.js';
import { type Order, OrderState } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import {
  PlaceState,
  type WatchPlaceResponse,
} from '#libs/contracts/gen/holdfast/reservation/v1/reservation_service.js';
import { type WaitlistEntry, WaitlistState } from '#libs/contracts/gen/holdfast/waitlist/v1/waitlist.js';
import type { Told } from '../app/feed.js';
import { eventFrame } from './event-stream.js';
import { orderJson } from './order-json.js';
import { placeJson } from './places.js';
import { availabilityJson } from './sku-json.js';
import { entryJson } from './waitlist.js';

const finalOrderStates: ReadonlySet<OrderState> = new Set([
  OrderState.ORDER_STATE_FULFILLED,
  OrderState.ORDER_STATE_CANCELLED,
  OrderState.ORDER_STATE_EXPIRED,
  OrderState.ORDER_STATE_REFUSED,
]);

/** Each change of an order gives it the next version. */
export function orderTold(order: Order): Told {
  const id = String(order.version);
  return { id, frame: eventFrame('order', id, orderJson(order)), isLast: finalOrderStates.has(order.state) };
}

/** A state has the next version; a place that comes nearer has not. */
export function entryTold(entry: WaitlistEntry): Told {
  const isWaiting = entry.state === WaitlistState.WAITLIST_STATE_WAITING;
  const isLast = !isWaiting && entry.state !== WaitlistState.WAITLIST_STATE_OFFERED;
  const id = isWaiting ? `${entry.version}-${entry.peopleAhead}` : String(entry.version);
  return { id, frame: eventFrame('entry', id, entryJson(entry)), isLast };
}

/** When its turn comes is told when it comes: that it is nearer by some milliseconds is no news. */
export function placeTold(sku: { storeId: string; skuId: string }, place: WatchPlaceResponse): Told {
  const json = placeJson(sku, place);
  const isWaiting = place.state === PlaceState.PLACE_STATE_WAITING;
  const id = isWaiting ? `${json.state}-${place.peopleAhead}` : json.state;
  return { id, frame: eventFrame('place', id, json), isLast: !isWaiting };
}

/** Time that passes before the opening is no news; the opening is. Of a sale that was cancelled nothing more is to be told. */
export function availabilityTold(availability: Availability): Told {
  const { opens_in_ms, ...rest } = availabilityJson(availability);
  const news = { ...rest, cancelled_at: availability.cancelledAt?.toISOString() };
  const id = createHash('sha256').update(JSON.stringify(news)).digest('base64url').slice(0, 16);
  const json = { sku_id: availability.skuId, ...news, opens_in_ms };
  return { id, frame: eventFrame('availability', id, json), isLast: availability.cancelledAt !== undefined };
}
