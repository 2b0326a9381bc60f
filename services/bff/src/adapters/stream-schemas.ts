import type { FastifySchema } from 'fastify';
import type { FaultReason } from '#libs/refusal/fault.js';
import type { OperationDoc } from './operation.js';
import { noQuery, orderParams, placeParams, skuParams } from './schemas.js';

const response = {
  200: {
    description: 'The state of today unless Last-Event-ID names it, then each change, as server-sent events.',
    content: { 'text/event-stream': { schema: { type: 'string' } } },
  },
  204: { type: 'null', description: 'It is over, and Last-Event-ID names the last event: do not come back.' },
} as const;

/** Streams of an order or an entry of a waitlist. */
export const streamOfOrder: FastifySchema = { params: orderParams, querystring: noQuery, response };

/** Streams of what is about a sku. */
export const streamOfSku: FastifySchema = { params: skuParams, querystring: noQuery, response };

/** Streams of the caller's place in the line of a sku. */
export const streamOfPlace: FastifySchema = {
  params: placeParams,
  querystring: noQuery,
  response,
};

/** What the published document says of the streams. */
export const streamDocs = {
  order: docOf('watchOrder', 'An order and its changes, until its state is final', ['ORDER_NOT_FOUND']),
  entry: docOf('watchWaitlistEntry', 'A place in a waitlist, until it is taken or over', ['WAITLIST_ENTRY_NOT_FOUND']),
  place: docOf('watchPlace', 'A place in line, until its turn has come or it is gone', []),
  availability: docOf('watchAvailability', 'Where the units of a sku are, whenever that changes', ['SKU_NOT_FOUND']),
} as const;

function docOf(id: string, summary: string, reasons: FaultReason[]): OperationDoc {
  const answers = { 200: response[200].description, 204: response[204].description };
  const description = 'The id of the last event that was heard.';
  return {
    id,
    tag: 'streams',
    summary,
    answers,
    reasons,
    headers: [{ name: 'Last-Event-ID', description, required: false }],
  };
}
