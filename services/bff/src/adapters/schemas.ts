/** JSON Schemas of what comes in. `description` finishes the sentence "must be …" in problems. */

const id = {
  type: 'string',
  pattern: '^[\\x21-\\x7e]{1,128}$',
  description: '1 to 128 printable ASCII characters without spaces',
} as const;

const orderId = { ...id, examples: ['0a1b0000-0000-8000-8000-000000000001'] } as const;
const skuId = { ...id, examples: ['sku-1'] } as const;
const storeId = { ...id, examples: ['store-1'] } as const;

export const orderParams = { type: 'object', properties: { id: orderId } } as const;
export const entryParams = { type: 'object', properties: { id: orderId } } as const;
export const skuParams = { type: 'object', properties: { id: skuId } } as const;
export const storeParams = { type: 'object', properties: { id: storeId } } as const;

const page = {
  page_size: { type: 'string', pattern: '^[0-9]+$', description: 'a whole number', examples: ['50'] },
  page_token: {
    type: 'string',
    pattern: '^[\\x21-\\x7e]{0,1024}$',
    description: 'the next_page_token of the page before, of the same list',
  },
} as const;

export const pageQuery = { type: 'object', additionalProperties: false, properties: page } as const;

const instant = {
  type: 'string',
  format: 'date-time',
  description: 'an instant (RFC 3339)',
  examples: ['2030-01-01T00:00:00Z'],
} as const;

export const skusQuery = {
  type: 'object',
  additionalProperties: false,
  properties: { ...page, starts_after: instant, starts_before: instant },
} as const;

export const placeParams = { type: 'object', properties: { store: storeId, sku: skuId } } as const;

export const noQuery = { type: 'object', additionalProperties: false } as const;

export const requestIdBody = {
  type: 'object',
  description: 'an object',
  additionalProperties: false,
  required: ['store_id', 'sku_id'],
  properties: { store_id: storeId, sku_id: skuId },
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
      sku_id: skuId,
      quantity: {
        type: 'integer',
        minimum: 1,
        maximum: 1_000_000,
        examples: [1],
        description: 'a whole number from 1 to 1000000',
      },
      attendee_id: { ...id, examples: ['kid'] },
    },
  },
} as const;

export const reserveBody = {
  type: 'object',
  description: 'an object',
  additionalProperties: false,
  required: ['store_id', 'lines'],
  properties: {
    store_id: storeId,
    on_busy: { enum: ['queue', 'fail'], description: '"queue" or "fail"' },
    on_sold_out: { enum: ['refuse', 'join_waitlist'], description: '"refuse" or "join_waitlist"' },
    force_reason: {
      type: 'string',
      minLength: 1,
      maxLength: 500,
      pattern: '^\\P{Cc}*$',
      description: '1 to 500 characters, none of them a control character; staff only',
    },
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
  properties: { to_sku_id: { ...id, examples: ['sku-2'] }, from_sku_id: skuId },
} as const;

/** Nothing is to be said: the path says it all. */
export const emptyBody = { type: ['object', 'null'], description: 'an object', additionalProperties: false } as const;

export const providerParams = { type: 'object', properties: { provider: { ...id, examples: ['sandbox'] } } } as const;

/** What the published document says of notices; their bodies are read by payment-notice.ts, after their signatures. */
export const noticeBody = {
  type: 'object',
  required: ['type', 'data'],
  properties: {
    type: { type: 'string', description: 'payment.captured, payment.failed, refund.succeeded; others are passed over' },
    timestamp: instant,
    data: { type: 'object', description: 'as the type has it' },
  },
  examples: [
    {
      type: 'payment.captured',
      timestamp: '2030-01-01T10:00:00Z',
      data: {
        order_id: '0a1b0000-0000-8000-8000-000000000001',
        provider_payment_id: 'pay_1',
        amount_minor: 1500,
        currency: 'EUR',
      },
    },
  ],
} as const;

export const webhookHeaders = [
  { name: 'webhook-id', description: 'Names the notice, however often it is sent.', required: true },
  { name: 'webhook-timestamp', description: 'Seconds since 1970, at most 5 minutes away.', required: true },
  { name: 'webhook-signature', description: 'v1,HMAC-SHA256 in base64 over id.timestamp.body.', required: true },
] as const;

/** A reason as the type of a problem has it. */
export const reasonParams = {
  type: 'object',
  properties: { reason: { type: 'string', examples: ['sold-out'] } },
} as const;
