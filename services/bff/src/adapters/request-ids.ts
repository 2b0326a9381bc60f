import type { FastifyInstance } from 'fastify';
import { requestIdAnswer } from './answer-schemas.js';
import type { Gateway } from './gateway.js';
import { callerOf } from './identity.js';
import { resource } from './resource.js';
import { noQuery, requestIdBody } from './schemas.js';

/** Request ids for stores that take only those that were issued. Drawing another one does no harm, so no key is needed. */
export function requestIdRoutes(app: FastifyInstance, gateway: Gateway): void {
  resource(app, '/v1/request-ids', {
    POST: {
      forUser: true,
      keyless: true,
      doc: {
        id: 'createRequestId',
        tag: 'orders',
        summary: 'Draws a request id, for stores that take only those that were issued',
        answers: { 201: 'The id' },
        reasons: ['REQUEST_IDS_NOT_ISSUED'],
      },
      schema: { querystring: noQuery, body: requestIdBody, response: { 201: requestIdAnswer } },
      async handler(request, reply) {
        const { store_id: storeId, sku_id: skuId } = request.body as { store_id: string; sku_id: string };
        const { requestId, expiresAt } = await gateway.createRequestId(callerOf(request), { storeId, skuId });
        return reply.code(201).send({ request_id: requestId, expires_at: expiresAt?.toISOString() });
      },
    },
  });
}
