/** JSON Schemas of what comes in and goes out. `description` finishes the sentence "must be …" in problems. */

const id = {
  type: 'string',
  pattern: '^[\\x21-\\x7e]{1,128}$',
  description: '1 to 128 printable ASCII characters without spaces',
} as const;

export const idParams = {
  type: 'object',
  properties: { id },
} as const;

const page = {
  page_size: { type: 'string', pattern: '^[0-9]{1,9}$', description: 'a whole number' },
  page_token: {
    type: 'string',
    pattern: '^[\\x21-\\x7e]{0,1024}$',
    description: 'the next_page_token of the page before',
  },
} as const;

export const pageQuery = { type: 'object', additionalProperties: false, properties: page } as const;

const instant = { type: 'string', format: 'date-time', description: 'an instant (RFC 3339)' } as const;

export const skusQuery = {
  type: 'object',
  additionalProperties: false,
  properties: { ...page, starts_after: instant, starts_before: instant },
} as const;

export const placeParams = { type: 'object', properties: { store: id, sku: id } } as const;

export const noQuery = { type: 'object', additionalProperties: false } as const;

export const requestIdBody = {
  type: 'object',
  description: 'an object',
  additionalProperties: false,
  required: ['store_id', 'sku_id'],
  properties: { store_id: id, sku_id: id },
} as const;

const lines = {
  type: 'array',
  minItems: 1,
  maxItems: 100,
  description: '1 to 100 lines',
  items: {
    type: 'object',
    description: 'an object',
    additionalProperties: false,
    required: ['sku_id', 'quantity'],
    properties: {
      sku_id: id,
      quantity: {
        type: 'integer',
        minimum: 1,
        maximum: 1_000_000,
        description: 'a whole number from 1 to 1000000',
      },
      attendee_id: id,
    },
  },
} as const;

export const reserveBody = {
  type: 'object',
  description: 'an object',
  additionalProperties: false,
  required: ['store_id', 'lines'],
  properties: {
    store_id: id,
    on_busy: { enum: ['queue', 'fail'], description: '"queue" or "fail"' },
    on_sold_out: { enum: ['refuse', 'join_waitlist'], description: '"refuse" or "join_waitlist"' },
    lines,
  },
} as const;

const reason = {
  type: 'string',
  maxLength: 500,
  pattern: '^\\P{Cc}*$',
  description: 'at most 500 characters, none of them a control character',
} as const;

export const cancelBody = {
  type: ['object', 'null'],
  description: 'an object',
  additionalProperties: false,
  properties: { reason },
} as const;

export const cancelLinesBody = {
  type: 'object',
  description: 'an object',
  additionalProperties: false,
  required: ['lines'],
  properties: { lines, reason },
} as const;

export const moveBody = {
  type: 'object',
  description: 'an object',
  additionalProperties: false,
  required: ['to_sku_id'],
  properties: { to_sku_id: id, from_sku_id: id },
} as const;

/** Nothing is to be said: the path says it all. */
export const emptyBody = { type: ['object', 'null'], description: 'an object', additionalProperties: false } as const;

export const providerParams = { type: 'object', properties: { provider: id } } as const;

const text = { type: 'string' } as const;
const whole = { type: 'integer' } as const;
const flag = { type: 'boolean' } as const;

const refusal = {
  type: 'object',
  properties: {
    reason: text,
    sku_id: text,
    free: whole,
    scope: text,
    next_release_at: text,
    opens_at: text,
    closed_at: text,
    slot_past: flag,
    limit: whole,
    own_order_id: text,
  },
} as const;

export const orderAnswer = {
  type: 'object',
  properties: {
    order_id: text,
    store_id: text,
    user_id: text,
    request_id: text,
    state: text,
    version: whole,
    lines: {
      type: 'array',
      items: {
        type: 'object',
        properties: { sku_id: text, quantity: whole, attendee_id: text, unit_price_minor: text },
      },
    },
    amount_minor: text,
    currency: text,
    created_at: text,
    expires_at: text,
    refusal,
    code: text,
    fulfilled_at: text,
    entry_id: text,
    extended_at: text,
  },
} as const;

export const ordersAnswer = {
  type: 'object',
  properties: { orders: { type: 'array', items: orderAnswer }, next_page_token: text },
} as const;

/** Not decided yet: PENDING names the order that it will be, QUEUED the place in line; WAITING that on the waitlist. */
export const acceptedAnswer = {
  type: 'object',
  properties: {
    order_id: text,
    entry_id: text,
    state: text,
    sku_id: text,
    people_ahead: whole,
    retry_after_ms: whole,
  },
} as const;

export const entryAnswer = {
  type: 'object',
  properties: {
    entry_id: text,
    store_id: text,
    sku_id: text,
    user_id: text,
    quantity: whole,
    state: text,
    people_ahead: whole,
    order_id: text,
    joined_at: text,
    offer_expires_at: text,
    barred_reason: text,
    estimated_seconds: whole,
  },
} as const;

export const paymentAnswer = {
  type: 'object',
  properties: {
    order_id: text,
    attempt: whole,
    provider: text,
    session_id: text,
    state: text,
    amount_minor: text,
    currency: text,
    parameters: { type: 'object', additionalProperties: text },
    url: text,
    ends_at: text,
  },
} as const;

export const requestIdAnswer = {
  type: 'object',
  properties: { request_id: text, expires_at: text },
} as const;

const availability = {
  state: text,
  free: whole,
  reserved: whole,
  held: whole,
  sold: whole,
  next_release_at: text,
  opens_in_ms: text,
  on_sale: flag,
} as const;

export const availabilityAnswer = { type: 'object', properties: { sku_id: text, ...availability } } as const;

export const placeAnswer = {
  type: 'object',
  properties: { store_id: text, sku_id: text, state: text, people_ahead: whole, retry_after_ms: whole },
} as const;

export const skuAnswer = {
  type: 'object',
  properties: {
    sku_id: text,
    store_id: text,
    title: text,
    capacity: whole,
    starts_at: text,
    time_zone: text,
    on_sale_at: text,
    off_sale_at: text,
    per_user_limit: whole,
    max_per_order: whole,
    hold_ttl_seconds: whole,
    payment_required: flag,
    price_minor: text,
    currency: text,
    paused: flag,
    cancelled_at: text,
    availability: { type: 'object', properties: availability },
  },
} as const;

export const skusAnswer = {
  type: 'object',
  properties: { skus: { type: 'array', items: skuAnswer }, next_page_token: text },
} as const;
