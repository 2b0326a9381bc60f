import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Fault } from '#libs/refusal/fault.js';
import { availabilityAnswer, skuAnswer, skusAnswer } from './answer-schemas.js';
import type { Gateway } from './gateway.js';
import { InvalidRequest } from './invalid-request.js';
import { pageOf } from './page.js';
import { idOf, resource } from './resource.js';
import { noQuery, skuParams, skusQuery, storeParams } from './schemas.js';
import { availabilityJson, skuJson } from './sku-json.js';

/** What is for sale. */
export function skuRoutes(app: FastifyInstance, gateway: Gateway): void {
  resource(app, '/v1/skus/:id', {
    GET: {
      forUser: false,
      doc: {
        id: 'getSku',
        tag: 'skus',
        summary: 'One sku and where its units are',
        answers: { 200: 'The sku' },
        reasons: ['SKU_NOT_FOUND'],
      },
      schema: { params: skuParams, querystring: noQuery, response: { 200: skuAnswer } },
      async handler(request, reply) {
        const { sku, availability } = await gateway.getSku(idOf(request), request.ip);
        if (sku === undefined) throw new Error('the gateway gave no sku');
        return reply.send(skuJson(sku, availability));
      },
    },
  });
  resource(app, '/v1/skus/:id/availability', {
    GET: {
      forUser: false,
      doc: {
        id: 'getAvailability',
        tag: 'skus',
        summary: 'Where the units of a sku are',
        answers: { 200: 'Its units' },
        reasons: ['SKU_NOT_FOUND'],
      },
      schema: { params: skuParams, querystring: noQuery, response: { 200: availabilityAnswer } },
      async handler(request, reply) {
        const skuId = idOf(request);
        const [availability] = await gateway.getAvailability({ skuIds: [skuId] }, request.ip);
        if (availability !== undefined) return reply.send({ sku_id: skuId, ...availabilityJson(availability) });
        throw new Fault('SKU_NOT_FOUND', 'there is no such sku', { metadata: { sku_id: skuId } });
      },
    },
  });
  resource(app, '/v1/stores/:id/skus', {
    GET: {
      forUser: false,
      doc: {
        id: 'listSkus',
        tag: 'skus',
        summary: 'The skus of a store by id, or those that start within a time, by start',
        answers: { 200: 'A page' },
      },
      schema: { params: storeParams, querystring: skusQuery, response: { 200: skusAnswer } },
      async handler(request, reply) {
        const page = await gateway.listSkus(
          { storeId: idOf(request), ...pageOf(request), ...timeOf(request) },
          request.ip,
        );
        const skus = page.skus.map((sku, index) => skuJson(sku, page.availability[index]));
        return reply.send({ skus, next_page_token: page.nextPageToken });
      },
    },
  });
}

/** Of when the skus are asked for. A leap second is well-formed, and no instant here. */
function timeOf({ query }: FastifyRequest): { startsAfter: Date | undefined; startsBefore: Date | undefined } {
  const given = query as { starts_after?: string; starts_before?: string };
  const instantOf = (name: keyof typeof given): Date | undefined => {
    const text = given[name];
    if (text === undefined) return undefined;
    const instant = new Date(text);
    if (!Number.isNaN(instant.getTime())) return instant;
    throw new InvalidRequest([{ detail: 'must be an instant (RFC 3339)', parameter: name }]);
  };
  return { startsAfter: instantOf('starts_after'), startsBefore: instantOf('starts_before') };
}
