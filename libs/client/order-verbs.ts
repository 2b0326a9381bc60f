import { randomUUID } from 'node:crypto';
import { type Order, OrderState } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import type { PaymentSession } from '#libs/contracts/gen/holdfast/order/v1/payment.js';
import { ReservationServiceDefinition } from '#libs/contracts/gen/holdfast/reservation/v1/reservation_service.js';
import { Fault } from '#libs/refusal/fault.js';
import type { Client } from '#libs/rpc/client.js';
import { follow, type Watching } from './follow.js';
import type { Patience } from './insist.js';
import { type MoveOutcome, moveOutcomeOf } from './move-outcome.js';
import type { OrderOutcome } from './order-outcome.js';
import { pagesOf } from './pages.js';
import { lineOf, reserve, type Wish } from './reserve.js';
import type { ReserveOutcome } from './reserve-outcome.js';
import type { Voice } from './voice.js';
import { type OrderWait, waitForOrder } from './wait-for-order.js';

/** A change, and how long to insist on it. */
export interface Change extends Patience {
  /** The idempotency key of the intent. Absent: one is drawn, and sent with every repetition of this call. */
  requestId?: string;
}

/** Where an order is to go. */
export interface Move {
  toSkuId: string;
  /** The sku that the units leave. Absent: the only one of the order. */
  fromSkuId?: string;
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
  /** Takes lines out of the order, of each as many units as it says; what was paid for them is due for refund. Faults as of cancelOrder. */
  cancelOrderLines(orderId: string, lines: Wish['lines'], change?: Change & { reason?: string }): Promise<Order>;
  /** Moves the units of one sku to another of the same price, or leaves everything as it was. Fault ORDER_STATE. */
  moveOrder(orderId: string, move: Move, change?: Change): Promise<MoveOutcome>;
  /** Prolongs the hold, once, while a way to pay it is open. Fault ORDER_STATE. */
  extendHold(orderId: string, change?: Change): Promise<Order>;
  /** How to pay the order: the way that is open, or a new one. */
  startPayment(orderId: string, change?: Change): Promise<PaymentSession>;
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
    async *listOrders({ userId = voice.userId ?? '', pageSize = 0 } = {}, patience) {
      const pages = pagesOf((pageToken) => {
        const request = { userId, skuId: '', pageSize, pageToken };
        return voice.ask(methods.listOrders, (options) => gateway.listOrders(request, options), patience);
      });
      for await (const page of pages) yield* page.orders;
    },
    async cancelOrder(orderId, { requestId = randomUUID(), reason = '', ...patience } = {}) {
      const request = { orderId, requestId, reason };
      const send = voice.ask(methods.cancelOrder, (options) => gateway.cancelOrder(request, options), patience);
      return given((await send).order);
    },
    async cancelOrderLines(orderId, lines, { requestId = randomUUID(), reason = '', ...patience } = {}) {
      const request = { orderId, requestId, reason, lines: lines.map(lineOf) };
      const send = voice.ask(
        methods.cancelOrderLines,
        (options) => gateway.cancelOrderLines(request, options),
        patience,
      );
      return given((await send).order);
    },
    async moveOrder(orderId, { toSkuId, fromSkuId = '' }, { requestId = randomUUID(), ...patience } = {}) {
      const request = { orderId, requestId, toSkuId, fromSkuId };
      const send = voice.ask(methods.moveOrder, (options) => gateway.moveOrder(request, options), patience);
      return moveOutcomeOf(given((await send).outcome));
    },
    async extendHold(orderId, { requestId = randomUUID(), ...patience } = {}) {
      const request = { orderId, requestId };
      const send = voice.ask(methods.extendHold, (options) => gateway.extendHold(request, options), patience);
      return given((await send).order);
    },
    async startPayment(orderId, { requestId = randomUUID(), ...patience } = {}) {
      const request = { orderId, requestId };
      const send = voice.ask(methods.startPayment, (options) => gateway.startPayment(request, options), patience);
      return given((await send).session);
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

/** What the contract promises in every answer. */
export function given<Part>(part: Part | undefined): Part {
  if (part === undefined) throw new Fault('INTERNAL', 'The gateway gave an answer without what was asked for');
  return part;
}
