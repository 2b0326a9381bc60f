import type { FastifyInstance } from 'fastify';
import type { Gateway } from './gateway.js';
import { userOf } from './identity.js';
import { givenOrder } from './order-json.js';
import { idOf, resource } from './resource.js';
import { cancelBody, idParams, noQuery, orderAnswer } from './schemas.js';

/** What becomes of an order besides being paid: it ends. */
export function orderChangeRoutes(app: FastifyInstance, gateway: Gateway): void {
  const change = { params: idParams, querystring: noQuery, response: { 200: orderAnswer } };
  resource(app, '/v1/orders/:id(^[^:]+)::cancel', {
    POST: {
      forUser: true,
      schema: { ...change, body: cancelBody },
      async handler(request, reply) {
        const { reason = '' } = (request.body ?? {}) as { reason?: string };
        const cancel = { orderId: idOf(request), requestId: request.id, reason };
        return reply.send(givenOrder(await gateway.cancelOrder(userOf(request), cancel)));
      },
    },
  });
}
