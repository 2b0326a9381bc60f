import type { FastifyInstance } from 'fastify';
import type { MoveOrderResponse } from '#libs/contracts/gen/holdfast/reservation/v1/reservation_service.js';
import { orderAnswer, refusalNames } from './answer-schemas.js';
import type { Gateway } from './gateway.js';
import { callerOf } from './identity.js';
import type { OperationDoc } from './operation.js';
import { givenOrder } from './order-json.js';
import { linesOf } from './orders.js';
import { sendRefusal } from './problem.js';
import { idOf, resource } from './resource.js';
import { cancelBody, cancelLinesBody, emptyBody, moveBody, noQuery, orderParams } from './schemas.js';

// What the schema of the route lets through.
interface MoveBody {
  to_sku_id: string;
  from_sku_id?: string;
}

/** What the published document says of them. */
const docs = {
  cancelOrder: {
    id: 'cancelOrder',
    tag: 'orders',
    summary: 'Ends an order and gives its units back',
    answers: { 200: 'The order, cancelled' },
    reasons: ['ORDER_NOT_FOUND', 'ORDER_PENDING', 'ORDER_STATE', 'CANCEL_TOO_LATE'],
  },
  cancelOrderLines: {
    id: 'cancelOrderLines',
    tag: 'orders',
    summary: 'Takes lines out of an order',
    answers: { 200: 'The order without them' },
    reasons: ['ORDER_NOT_FOUND', 'ORDER_PENDING', 'ORDER_STATE', 'CANCEL_TOO_LATE'],
  },
  moveOrder: {
    id: 'moveOrder',
    tag: 'orders',
    summary: 'Moves the units of one sku of an order to another sku of the same price',
    answers: { 200: 'The order where it is now' },
    reasons: ['ORDER_NOT_FOUND', 'SKU_NOT_FOUND', 'ORDER_PENDING', 'ORDER_STATE', 'CANCEL_TOO_LATE'],
    refusals: refusalNames,
  },
  extendHold: {
    id: 'extendHold',
    tag: 'orders',
    summary: 'Prolongs a hold, once, while a way to pay it is open',
    answers: { 200: 'The order with its new expires_at' },
    reasons: ['ORDER_NOT_FOUND', 'ORDER_PENDING', 'ORDER_STATE'],
  },
} as const satisfies Record<string, OperationDoc>;

/** What becomes of an order besides being paid: it ends, wholly or in part, moves, or is kept for longer. */
export function orderChangeRoutes(app: FastifyInstance, gateway: Gateway): void {
  const change = { params: orderParams, querystring: noQuery, response: { 200: orderAnswer } };
  resource(app, '/v1/orders/:id(^[^:]+)::cancel', {
    POST: {
      forUser: true,
      doc: docs.cancelOrder,
      schema: { ...change, body: cancelBody },
      async handler(request, reply) {
        const { reason = '' } = (request.body ?? {}) as { reason?: string };
        const cancel = { orderId: idOf(request), requestId: request.id, reason };
        return reply.send(givenOrder(await gateway.cancelOrder(callerOf(request), cancel)));
      },
    },
  });
  resource(app, '/v1/orders/:id/cancel-lines', {
    POST: {
      forUser: true,
      doc: docs.cancelOrderLines,
      schema: { ...change, body: cancelLinesBody },
      async handler(request, reply) {
        const { lines, reason = '' } = request.body as { lines: Parameters<typeof linesOf>[0]; reason?: string };
        const part = { orderId: idOf(request), requestId: request.id, lines: linesOf(lines), reason };
        return reply.send(givenOrder(await gateway.cancelOrderLines(callerOf(request), part)));
      },
    },
  });
  resource(app, '/v1/orders/:id/move', {
    POST: {
      forUser: true,
      doc: docs.moveOrder,
      schema: { ...change, body: moveBody },
      async handler(request, reply) {
        const { to_sku_id: toSkuId, from_sku_id: fromSkuId = '' } = request.body as MoveBody;
        const move = { orderId: idOf(request), requestId: request.id, toSkuId, fromSkuId };
        const outcome: MoveOrderResponse['outcome'] = await gateway.moveOrder(callerOf(request), move);
        if (outcome?.$case !== 'refusal') return reply.send(givenOrder(outcome?.value));
        return sendRefusal({ refusal: outcome.value, ownOrder: undefined }, request, reply);
      },
    },
  });
  resource(app, '/v1/orders/:id/extend', {
    POST: {
      forUser: true,
      doc: docs.extendHold,
      schema: { ...change, body: emptyBody },
      async handler(request, reply) {
        const extend = { orderId: idOf(request), requestId: request.id };
        return reply.send(givenOrder(await gateway.extendHold(callerOf(request), extend)));
      },
    },
  });
}
