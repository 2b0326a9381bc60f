import { randomUUID } from 'node:crypto';
import type { Availability, Sku } from '#libs/contracts/gen/holdfast/inventory/v1/sku.js';
import { type Order, OrderState } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import type { PaymentSession } from '#libs/contracts/gen/holdfast/order/v1/payment.js';
import { ReservationServiceDefinition } from '#libs/contracts/gen/holdfast/reservation/v1/reservation_service.js';
import { Fault } from '#libs/refusal/fault.js';
import type { Client } from '#libs/rpc/client.js';
import { follow, type Watching } from './follow.js';
import type { Patience } from './insist.js';
import type { OrderOutcome } from './order-outcome.js';
import { reserve, type Wish } from './reserve.js';
import type { ReserveOutcome } from './reserve-outcome.js';
import type { Voice } from './voice.js';
import { type OrderWait, waitForOrder } from './wait-for-order.js';

/** A change, and how long to insist on it. */
export interface Change extends Patience {
  /** The idempotency key of the intent. Absent: one is drawn, and sent with every repetition of this call. */
  requestId?: string;
}

/** Orders as their user has them. Every call rejects with the Fault that no repetition mends, or that was heard last. */
export interface OrderVerbs {
  /**
   * Takes all lines or none, with one request_id however often it must be sent: again when its turn has come, when a limit or a request in
   * progress says so, and when nobody could tell what became of it. Rejects with a Fault that no repetition mends: INVALID_REQUEST,
   * SKU_NOT_FOUND, REQUEST_ID_REUSED and the like.
   */
  reserve(wish: Wish, patience?: Patience): Promise<ReserveOutcome>;
  /** Waits until the order is decided, or until it is paid or lost; when the time is over the outcome is the state seen last. */
  waitForOrder(orderId: string, wait?: OrderWait): Promise<OrderOutcome>;
  /**
   * The order now and after each change, until its state is final. Goes on over broken connections and misses states between at most,
   * never the last. Ends with the loop that reads it, or when `signal` aborts: Fault CANCELLED.
   */
  watchOrder(orderId: string, watching?: Watching): AsyncIterable<Order>;
  /** Fault ORDER_NOT_FOUND also for another user's. */
  getOrder(orderId: string, patience?: Patience): Promise<Order>;
  /** The orders of a user, newest first, asked for page by page as they are read; of whoever forUser named by default. */
  listOrders(whose?: { userId?: string; pageSize?: number }, patience?: Patience): AsyncIterable<Order>;
  /** Ends the order and gives its units back. Faults: ORDER_STATE, CANCEL_TOO_LATE. */
  cancelOrder(orderId: string, change?: Change & { reason?: string }): Promise<Order>;
  /** How to pay the order: the way that is open, or a new one. */
  startPayment(orderId: string, change?: Change): Promise<PaymentSession>;
  /** A sku, and where its units are. */
  getSku(skuId: string, patience?: Patience): Promise<{ sku: Sku; availability: Availability | undefined }>;
  /** A request_id for the next reservation of the sku, for stores that take no others. */
  createRequestId(of: { storeId: string; skuId: string }, patience?: Patience): Promise<string>;
}

const methods = ReservationServiceDefinition.methods;
const finalStates: ReadonlySet<OrderState> = new Set([
  ...[OrderState.ORDER_STATE_FULFILLED, OrderState.ORDER_STATE_CANCELLED],
  ...[OrderState.ORDER_STATE_EXPIRED, OrderState.ORDER_STATE_REFUSED],
]);

/** The verbs in one voice. */
export function orderVerbs(gateway: Client<typeof ReservationServiceDefinition>, voice: Voice): OrderVerbs {
  const watchOrder: OrderVerbs['watchOrder'] = (orderId, watching = {}) => {
    return follow(voice, { open: (options) => ordersOf(gateway.watchOrder({ orderId }, options)), ...order }, watching);
  };
  return {
    reserve: (wish, patience = {}) => reserve(gateway, voice, { wish, patience }),
    waitForOrder: (orderId, wait = {}) => waitForOrder((watching) => watchOrder(orderId, watching), wait),
    watchOrder,
    async getOrder(orderId, patience) {
      const send = voice.ask(methods.getOrder, (options) => gateway.getOrder({ orderId }, options), patience);
      return given((await send).order);
    },
    listOrders: (whose = {}, patience) => pagesOf(gateway, voice, { userId: voice.userId ?? '', ...whose, patience }),
    async cancelOrder(orderId, { requestId = randomUUID(), reason = '', ...patience } = {}) {
      const request = { orderId, requestId, reason };
      const send = voice.ask(methods.cancelOrder, (options) => gateway.cancelOrder(request, options), patience);
      return given((await send).order);
    },
    async startPayment(orderId, { requestId = randomUUID(), ...patience } = {}) {
      const request = { orderId, requestId };
      const send = voice.ask(methods.startPayment, (options) => gateway.startPayment(request, options), patience);
      return given((await send).session);
    },
    async getSku(skuId, patience) {
      const { sku, availability } = await voice.ask(
        methods.getSku,
        (options) => gateway.getSku({ skuId }, options),
        patience,
      );
      return { sku: given(sku), availability };
    },
    async createRequestId(of, patience) {
      const send = voice.ask(methods.createRequestId, (options) => gateway.createRequestId(of, options), patience);
      return (await send).requestId;
    },
  };
}

const order = {
  isNews: (now: Order, told: Order) => now.version > told.version,
  isFinal: ({ state }: Order) => finalStates.has(state),
};

async function* ordersOf(stream: AsyncIterable<{ order: Order | undefined }>): AsyncGenerator<Order> {
  for await (const { order: one } of stream) if (one) yield one;
}

interface Pages {
  userId: string;
  pageSize?: number;
  patience: Patience | undefined;
}

async function* pagesOf(
  gateway: Client<typeof ReservationServiceDefinition>,
  voice: Voice,
  { userId, pageSize = 0, patience }: Pages,
): AsyncGenerator<Order> {
  for (let pageToken = ''; ; ) {
    const request = { userId, skuId: '', pageSize, pageToken };
    const page = await voice.ask(methods.listOrders, (options) => gateway.listOrders(request, options), patience);
    yield* page.orders;
    if (page.nextPageToken === '') return;
    pageToken = page.nextPageToken;
  }
}

/** What the contract promises in every answer. */
export function given<Part>(part: Part | undefined): Part {
  if (part === undefined) throw new Fault('INTERNAL', 'The gateway gave an answer without what was asked for');
  return part;
}
