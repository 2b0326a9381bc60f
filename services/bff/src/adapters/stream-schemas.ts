import type { FastifySchema } from 'fastify';
import { idParams, noQuery, placeParams } from './schemas.js';

const response = {
  200: {
    description: 'The state of today unless Last-Event-ID names it, then each change, as server-sent events.',
    content: { 'text/event-stream': { schema: { type: 'string' } } },
  },
  204: { type: 'null', description: 'It is over, and Last-Event-ID names the last event: do not come back.' },
} as const;

/** Streams of what has one id. */
export const streamOfOne: FastifySchema = { params: idParams, querystring: noQuery, response };

/** Streams of the caller's place in the line of a sku. */
export const streamOfPlace: FastifySchema = {
  params: placeParams,
  querystring: noQuery,
  response,
};
