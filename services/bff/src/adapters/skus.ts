import type { FastifyInstance } from 'fastify';
import type { Gateway } from './gateway.js';
import { idOf, resource } from './resource.js';
import { idParams, noQuery, pageQuery, skuAnswer, skusAnswer } from './schemas.js';
import { skuJson } from './sku-json.js';

/** What is for sale. */
export function skuRoutes(app: FastifyInstance, gateway: Gateway): void {
  resource(app, '/v1/skus/:id', {
    GET: {
      forUser: false,
      schema: { params: idParams, querystring: noQuery, response: { 200: skuAnswer } },
      async handler(request, reply) {
        const { sku, availability } = await gateway.getSku(idOf(request));
        if (sku === undefined) throw new Error('the gateway gave no sku');
        return reply.send(skuJson(sku, availability));
      },
    },
  });
  resource(app, '/v1/stores/:id/skus', {
    GET: {
      forUser: false,
      schema: { params: idParams, querystring: pageQuery, response: { 200: skusAnswer } },
      async handler(request, reply) {
        const { page_size: pageSize = '0', page_token: pageToken = '' } = request.query as Page;
        const page = await gateway.listSkus({ storeId: idOf(request), pageSize: Number(pageSize), pageToken });
        const skus = page.skus.map((sku, index) => skuJson(sku, page.availability[index]));
        return reply.send({ skus, next_page_token: page.nextPageToken });
      },
    },
  });
}

interface Page {
  page_size?: string;
  page_token?: string;
}
