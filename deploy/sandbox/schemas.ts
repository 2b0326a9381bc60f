/** JSON Schemas of what the sandbox takes. */

const id = { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' } as const;
const minor = { type: 'integer', minimum: 0 } as const;
const currency = { type: 'string', pattern: '^[A-Z]{3}$' } as const;

export const sessionBody = {
  type: 'object',
  required: ['order_id', 'attempt', 'amount_minor', 'currency', 'ends_at'],
  properties: {
    order_id: id,
    attempt: { type: 'integer', minimum: 1 },
    amount_minor: minor,
    currency,
    ends_at: { type: 'string', format: 'date-time' },
  },
} as const;

export const refundBody = {
  type: 'object',
  required: ['order_id', 'number', 'provider_payment_id', 'amount_minor', 'currency'],
  properties: {
    order_id: id,
    number: { type: 'integer', minimum: 1 },
    provider_payment_id: id,
    amount_minor: minor,
    currency,
  },
} as const;

export const pressBody = {
  type: ['object', 'null'],
  additionalProperties: false,
  properties: {
    outcome: { enum: ['pay', 'fail'] },
    amount_minor: minor,
    currency,
    even_if_ended: { type: 'boolean' },
    notice: {
      type: 'object',
      additionalProperties: false,
      properties: {
        delay_ms: { type: 'integer', minimum: 0, maximum: 3_600_000 },
        times: { type: 'integer', minimum: 0, maximum: 10 },
        failed_before: { type: 'boolean' },
      },
    },
  },
} as const;
