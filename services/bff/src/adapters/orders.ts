import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { OnBusy, OnSoldOut } from '#libs/contracts/gen/holdfast/inventory/v1/sku.js';
import { type Order, type OrderLine, OrderState } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import type {
  ReserveRequest,
  ReserveResponse,
} from '#libs/contracts/gen/holdfast/reservation/v1/reservation_service.js';
import { acceptedAnswer, orderAnswer, ordersAnswer, refusalNames } from './answer-schemas.js';
import type { Gateway } from './gateway.js';
import { callerOf } from './identity.js';
import { givenOrder, orderJson } from './order-json.js';
import { pageOf } from './page.js';
import { waitMsOf } from './prefer.js';
import { sendRefusal } from './problem.js';
import { idOf, resource } from './resource.js';
import { setRetryAfter } from './retry-after.js';
import { noQuery, orderParams, pageQuery, reserveBody } from './schemas.js';
import { entryStateName, pathOfEntry } from './waitlist.js';

// What the schemas of the routes let through.
interface ReserveBody {
  store_id: string;
  lines: { sku_id: string; quantity: number; attendee_id?: string }[];
  on_busy?: 'queue' | 'fail';
  on_sold_out?: 'refuse' | 'join_waitlist';
  force_reason?: string;
}

const onSoldOutByName = {
  refuse: OnSoldOut.ON_SOLD_OUT_REFUSE,
  join_waitlist: OnSoldOut.ON_SOLD_OUT_JOIN_WAITLIST,
} as const;
const onBusyByName = { queue: OnBusy.ON_BUSY_QUEUE, fail: OnBusy.ON_BUSY_FAIL } as const;

/** Orders: placed and read. */
export function orderRoutes(app: FastifyInstance, gateway: Gateway): void {
  resource(app, '/v1/orders', {
    POST: {
      forUser: true,
      doc: {
        id: 'placeOrder',
        tag: 'orders',
        summary: 'Takes all lines of an order or none',
        answers: { 201: 'The order, held', 202: 'Not decided yet, or a place in line or in the waitlist' },
        reasons: ['SKU_NOT_FOUND', 'CURRENCY_MIXED', 'REQUEST_ID_NOT_ISSUED'],
        refusals: refusalNames,
      },
      schema: { querystring: noQuery, body: reserveBody, response: { 201: orderAnswer, 202: acceptedAnswer } },
      async handler(request, reply) {
        return sendOutcome(await reserve(gateway, request), request, reply);
      },
    },
  });
  resource(app, '/v1/me/orders', {
    GET: {
      forUser: true,
      doc: {
        id: 'listMyOrders',
        tag: 'orders',
        summary: 'Orders of the caller, newest first',
        answers: { 200: 'A page' },
      },
      schema: { querystring: pageQuery, response: { 200: ordersAnswer } },
      async handler(request, reply) {
        const { orders, nextPageToken } = await gateway.listOrders(callerOf(request), pageOf(request));
        return reply.send({ orders: orders.map(orderJson), next_page_token: nextPageToken });
      },
    },
  });
  resource(app, '/v1/orders/:id(^[^:]+$)', {
    GET: {
      forUser: true,
      doc: {
        id: 'getOrder',
        tag: 'orders',
        summary: 'One order of the caller',
        answers: { 200: 'The order' },
        reasons: ['ORDER_NOT_FOUND'],
      },
      schema: { params: orderParams, querystring: noQuery, response: { 200: orderAnswer } },
      async handler(request, reply) {
        const order = await gateway.getOrder(callerOf(request), idOf(request));
        return reply.send(givenOrder(order));
      },
    },
  });
}

/** While it is PENDING it is followed for as long as the caller would wait; when that says no more, PENDING stays true. */
async function reserve(gateway: Gateway, request: FastifyRequest): Promise<ReserveResponse['outcome']> {
  const [caller, wish] = [callerOf(request), reserveRequestOf(request)];
  const { outcome } = await gateway.reserve(caller, wish);
  if (outcome?.$case !== 'pending' || waitMsOf(request) <= 0) return outcome;
  const timeout = AbortSignal.timeout(waitMsOf(request));
  if (!(await isDecided(gateway.watchOrder(caller, outcome.value.orderId, timeout)))) return outcome;
  // The same again is told how it ended.
  return gateway.reserve(caller, wish).then(
    (decided) => decided.outcome,
    () => outcome,
  );
}

async function isDecided(words: AsyncIterable<Order | undefined>): Promise<boolean> {
  try {
    for await (const order of words) if (order && order.state !== OrderState.ORDER_STATE_PENDING) return true;
  } catch {
    // The time is over, or nobody can say.
  }
  return false;
}

/** The request's id is its Idempotency-Key. */
function reserveRequestOf(request: FastifyRequest): ReserveRequest {
  const body = request.body as ReserveBody;
  const { store_id: storeId, lines, on_busy: onBusy, on_sold_out: onSoldOut, force_reason: forceReason } = body;
  return {
    storeId,
    lines: linesOf(lines),
    requestId: request.id,
    onBusy: onBusy && onBusyByName[onBusy],
    onSoldOut: onSoldOut && onSoldOutByName[onSoldOut],
    ...(forceReason !== undefined && { forceReason }),
  };
}

/** Lines as they are asked for. */
export function linesOf(lines: ReserveBody['lines']): OrderLine[] {
  return lines.map(({ sku_id: skuId, quantity, attendee_id: attendeeId = '' }) => {
    return { skuId, quantity, attendeeId, unitPriceMinor: 0 };
  });
}

function sendOutcome(outcome: ReserveResponse['outcome'], request: FastifyRequest, reply: FastifyReply): FastifyReply {
  switch (outcome?.$case) {
    case 'held': {
      const order = givenOrder(outcome.value.order);
      return reply.code(201).header('location', pathOf(order.order_id)).send(order);
    }
    case 'pending': {
      const { orderId } = outcome.value;
      return reply.code(202).header('location', pathOf(orderId)).send({ order_id: orderId, state: 'PENDING' });
    }
    case 'waiting': {
      const { entryId, skuId, state, peopleAhead, orderId } = outcome.value;
      return reply
        .code(202)
        .header('location', pathOfEntry(entryId))
        .send({
          entry_id: entryId,
          state: entryStateName(state),
          sku_id: skuId,
          people_ahead: orderId === '' ? peopleAhead : undefined,
          order_id: orderId || undefined,
        });
    }
    case 'refused':
      return sendRefusal(outcome.value, request, reply);
    case 'queued': {
      const { skuId, peopleAhead, retryAfterMs } = outcome.value;
      setRetryAfter(reply, retryAfterMs);
      return reply.code(202).send({
        state: 'QUEUED',
        sku_id: skuId,
        people_ahead: peopleAhead,
        retry_after_ms: retryAfterMs,
      });
    }
    default:
      throw new Error('the gateway gave an outcome that is not known here');
  }
}

function pathOf(orderId: string): string {
  return `/v1/orders/${orderId}`;
}
