import { OrderState, RefusalReason } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import { PlaceState } from '#libs/contracts/gen/holdfast/reservation/v1/reservation_service.js';
import { WaitlistState } from '#libs/contracts/gen/holdfast/waitlist/v1/waitlist.js';

/**
 * JSON Schemas of what goes out. Those with a title are components of the published document. A state or reason may be UNKNOWN when
 * only newer processes know it.
 */

const text = { type: 'string' } as const;
const skuId = { type: 'string', examples: ['sku-1'] } as const;
const storeId = { type: 'string', examples: ['store-1'] } as const;
const userId = { type: 'string', examples: ['ada'] } as const;
const orderId = { type: 'string', examples: ['0a1b0000-0000-8000-8000-000000000001'] } as const;
const whole = { type: 'integer', examples: [2] } as const;
const flag = { type: 'boolean' } as const;
const instant = { type: 'string', format: 'date-time', examples: ['2030-01-01T10:00:00.000Z'] } as const;
/** An int64, which JSON numbers do not hold. */
const long = { type: 'string', pattern: '^-?[0-9]+$', examples: ['1500'] } as const;
const currency = { type: 'string', description: 'ISO 4217', examples: ['EUR'] } as const;

/** The names of an enum of the contract without the stem that they have in common. */
function namesOf(names: Readonly<Record<string, string | number>>, stem: string): string[] {
  const own = Object.keys(names).filter((name) => name.startsWith(stem) && !name.endsWith('_UNSPECIFIED'));
  return own.map((name) => name.slice(stem.length));
}

const orderState = { type: 'string', enum: [...namesOf(OrderState, 'ORDER_STATE_'), 'UNKNOWN'] } as const;
const entryState = { type: 'string', enum: [...namesOf(WaitlistState, 'WAITLIST_STATE_'), 'UNKNOWN'] } as const;
const placeState = { type: 'string', enum: [...namesOf(PlaceState, 'PLACE_STATE_'), 'UNKNOWN'] } as const;

/** Every true no. */
export const refusalNames: readonly string[] = namesOf(RefusalReason, 'REFUSAL_REASON_');

const refusal = {
  type: 'object',
  title: 'Refusal',
  description: 'A true no: the reason, and the facts that belong to it.',
  required: ['reason'],
  properties: {
    reason: { type: 'string', enum: [...refusalNames, 'REFUSED'] },
    sku_id: skuId,
    free: whole,
    scope: text,
    next_release_at: instant,
    opens_at: instant,
    closed_at: instant,
    slot_past: flag,
    limit: whole,
    own_order_id: orderId,
  },
} as const;

const line = {
  type: 'object',
  title: 'Line',
  required: ['sku_id', 'quantity', 'attendee_id', 'unit_price_minor'],
  properties: { sku_id: skuId, quantity: whole, attendee_id: userId, unit_price_minor: long },
} as const;

export const orderAnswer = {
  type: 'object',
  title: 'Order',
  required: [
    ...['order_id', 'store_id', 'user_id', 'request_id', 'state', 'version', 'lines'],
    ...['amount_minor', 'currency'],
  ],
  properties: {
    order_id: orderId,
    store_id: storeId,
    user_id: userId,
    request_id: text,
    state: orderState,
    version: whole,
    lines: { type: 'array', items: line },
    amount_minor: long,
    currency,
    created_at: instant,
    expires_at: instant,
    refusal,
    code: text,
    fulfilled_at: instant,
    entry_id: text,
    extended_at: instant,
    channel: text,
  },
} as const;

const nextPageToken = { type: 'string', description: 'Empty at the end, and only there.' } as const;

export const ordersAnswer = {
  type: 'object',
  title: 'Orders',
  required: ['orders', 'next_page_token'],
  properties: { orders: { type: 'array', items: orderAnswer }, next_page_token: nextPageToken },
} as const;

/** Not decided yet: PENDING names the order that it will be, QUEUED the place in line; WAITING that on the waitlist. */
export const acceptedAnswer = {
  type: 'object',
  title: 'Accepted',
  description:
    'PENDING: order_id is decided soon. QUEUED: a place in line, the same request again after retry_after_ms keeps it. WAITING, LEFT, ENDED: the place in the waitlist.',
  required: ['state'],
  properties: {
    order_id: orderId,
    entry_id: text,
    state: { type: 'string', enum: ['PENDING', 'QUEUED', ...entryState.enum] },
    sku_id: skuId,
    people_ahead: whole,
    retry_after_ms: whole,
  },
} as const;

export const entryAnswer = {
  type: 'object',
  title: 'WaitlistEntry',
  required: ['entry_id', 'store_id', 'sku_id', 'user_id', 'quantity', 'state'],
  properties: {
    entry_id: text,
    store_id: storeId,
    sku_id: skuId,
    user_id: userId,
    quantity: whole,
    state: entryState,
    people_ahead: whole,
    order_id: orderId,
    joined_at: instant,
    offer_expires_at: instant,
    barred_reason: text,
    estimated_seconds: long,
  },
} as const;

export const paymentAnswer = {
  type: 'object',
  title: 'PaymentSession',
  required: ['order_id', 'attempt', 'provider', 'session_id', 'state', 'amount_minor', 'currency', 'parameters'],
  properties: {
    order_id: orderId,
    attempt: whole,
    provider: text,
    session_id: text,
    state: text,
    amount_minor: long,
    currency,
    parameters: { type: 'object', additionalProperties: text },
    url: text,
    ends_at: instant,
  },
} as const;

export const requestIdAnswer = {
  type: 'object',
  title: 'RequestId',
  required: ['request_id'],
  properties: { request_id: text, expires_at: instant },
} as const;

const availabilityMembers = {
  state: text,
  free: whole,
  reserved: whole,
  held: whole,
  sold: whole,
  next_release_at: instant,
  opens_in_ms: long,
  on_sale: flag,
} as const;
const always = ['state', 'free', 'reserved', 'held', 'sold', 'opens_in_ms', 'on_sale'] as const;

export const availabilityAnswer = {
  type: 'object',
  title: 'Availability',
  required: ['sku_id', ...always],
  properties: { sku_id: skuId, ...availabilityMembers },
} as const;

export const placeAnswer = {
  type: 'object',
  title: 'Place',
  required: ['store_id', 'sku_id', 'state'],
  properties: { store_id: storeId, sku_id: skuId, state: placeState, people_ahead: whole, retry_after_ms: whole },
} as const;

export const skuAnswer = {
  type: 'object',
  title: 'Sku',
  required: ['sku_id', 'store_id', 'title', 'capacity', 'price_minor', 'currency', 'payment_required', 'paused'],
  properties: {
    sku_id: skuId,
    store_id: storeId,
    title: text,
    capacity: whole,
    starts_at: instant,
    time_zone: text,
    on_sale_at: instant,
    off_sale_at: instant,
    per_user_limit: whole,
    max_per_order: whole,
    hold_ttl_seconds: whole,
    payment_required: flag,
    price_minor: long,
    currency,
    paused: flag,
    cancelled_at: instant,
    availability: { type: 'object', required: always, properties: availabilityMembers },
  },
} as const;

export const skusAnswer = {
  type: 'object',
  title: 'Skus',
  required: ['skus', 'next_page_token'],
  properties: { skus: { type: 'array', items: skuAnswer }, next_page_token: nextPageToken },
} as const;
