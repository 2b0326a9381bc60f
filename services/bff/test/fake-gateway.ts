import { type Availability, AvailabilityState } from '#libs/contracts/gen/holdfast/inventory/v1/sku.js';
import { type Order, OrderState, PaymentState } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import { PaymentServiceDefinition } from '#libs/contracts/gen/holdfast/reservation/v1/payment_service.js';
import {
  type CancelOrderRequest,
  type CreateRequestIdRequest,
  type ListOrdersRequest,
  type MoveOrderResponse,
  ReservationServiceDefinition,
  type ReserveRequest,
  type ReserveResponse,
  type ReserveStreamItem,
  type ReserveStreamRequest,
  type ReserveStreamResponse,
  type ReserveStreamResult,
} from '#libs/contracts/gen/holdfast/reservation/v1/reservation_service.js';
import { Fault } from '#libs/refusal/fault.js';
import { BatchResponder } from '#libs/rpc/batch-responder.js';
import type { CallContext } from '#libs/rpc/call-context.js';
import { startServer } from '#libs/rpc/server.js';
import type { ServerDuplex } from '#libs/rpc/server-duplex.js';
import { implement, type ServiceImplementation } from '#libs/rpc/service.js';
import { toStatus } from '#libs/rpc/status.js';
import { createLogger } from '#libs/runtime/logger.js';
import { session, sku, waiting } from './fake-answers.js';
import { type FakeWatches, fakeWaitlists, fakeWatches, watched } from './fake-watches.js';

/** What the fake says to a reservation: an outcome, a fault, nothing at all, or the end of the stream. */
export type Answer = NonNullable<ReserveResponse['outcome']> | Fault | 'never' | 'break';

/** What a test wants the gateway to say, and what the gateway was asked. */
export interface Asked extends FakeWatches {
  reserved: ReserveStreamItem[];
  /** By those who act for others. */
  reservedFor: { by: string; forUser: string | undefined; request: ReserveRequest }[];
  cancelled: { userId: string; request: CancelOrderRequest }[];
  /** Changes besides cancellations, and what providers told: the verb and its request. */
  changed: { verb: string; userId: string; request: object }[];
  moved: MoveOrderResponse['outcome'];
  issued: { userId: string; request: CreateRequestIdRequest }[];
  pages: { pageSize: number; pageToken: string; time: (Date | undefined)[] }[];
  /** Of whose orders which page was asked for. */
  orderPages: ListOrdersRequest[];
  /** What is said of a sku: nothing when it does not exist. */
  availabilityOf: (skuId: string) => Availability | undefined;
  answer: (item: ReserveStreamItem) => Answer | Promise<Answer>;
  /** What calls carried of the headers in which proxies, and liars, say where a request came from. */
  forwarded: string[];
  /** What the next calls of other kinds reject with. */
  fault: Fault | undefined;
  /** The skus of each read of availability. */
  availabilityReads: string[][];
  /** The address and the token with which skus were asked for. */
  addresses: (string | undefined)[][];
  /** How many of them; without end unless a test says so. */
  faultsLeft: number;
}

export interface FakeGateway {
  asked: Asked;
  address: string;
  /** Forgets, and holds whatever is asked for. */
  reset(): void;
  close(): Promise<void>;
}

/** Whom the token of a call names; the fake believes it. */
function userIn(call: CallContext): string {
  const [, claims = ''] = call.metadata('authorization')?.split('.') ?? [];
  return claims === '' ? '' : JSON.parse(Buffer.from(claims, 'base64url').toString()).sub;
}

export async function startFakeGateway(): Promise<FakeGateway> {
  const fresh = (): Asked => ({
    reserved: [],
    reservedFor: [],
    cancelled: [],
    changed: [],
    moved: undefined,
    answer: ({ userId }) => ({ $case: 'held', value: { order: orderOf({ userId }) } }),
    fault: undefined,
    faultsLeft: Number.POSITIVE_INFINITY,
    forwarded: [],
    issued: [],
    pages: [],
    orderPages: [],
    ...fakeWatches(),
    availabilityReads: [],
    addresses: [],
    availabilityOf: (skuId) => ({ ...availability, skuId }),
  });
  const asked = fresh();
  const server = await startServer({
    address: '127.0.0.1:0',
    services: [fakeService(asked), fakePayments(asked), waitlistsOf(asked)],
    logger: createLogger('fake', 'silent'),
    reflection: false,
    drainMs: 50,
  });
  server.serving(true);
  return {
    asked,
    reset: () => void Object.assign(asked, fresh()),
    close: () => server.drain(),
    address: server.address,
  };
}

function waitlistsOf(asked: Asked): ServiceImplementation {
  const entry = async ({ entryId }: { entryId: string }, call: CallContext) => {
    noteOf(asked)(call);
    return { entry: { ...waiting, entryId, userId: userIn(call) } };
  };
  return fakeWaitlists({
    watchWaitlist: ({ entryId }, call) => watched(asked.entries.watch(nameOf(entryId, call), call), 'entry'),
    ...{ getWaitlistEntry: entry, leaveWaitlist: entry, acceptOffer: entry },
  });
}

function changesOf(asked: Asked, note: (call: CallContext) => void) {
  const changed = (verb: string, call: CallContext, request: { orderId: string }): Order => {
    note(call);
    const userId = userIn(call);
    asked.changed.push({ verb, userId, request });
    return orderOf({ orderId: request.orderId, userId });
  };
  return {
    cancelOrderLines: async (request: { orderId: string }, call: CallContext) => {
      return { order: changed('cancel-lines', call, request) };
    },
    moveOrder: async (request: { orderId: string }, call: CallContext) => {
      const order = changed('move', call, request);
      return { outcome: asked.moved ?? { $case: 'order' as const, value: order } };
    },
    extendHold: async (request: { orderId: string }, call: CallContext) => ({
      order: changed('extend', call, request),
    }),
    startPayment: async (request: { orderId: string }, call: CallContext) => {
      changed('pay', call, request);
      return { session: { ...session, orderId: request.orderId } };
    },
    confirmPayment: async (request: { orderId: string }, call: CallContext) => {
      return { order: changed('captured', call, request), paymentState: PaymentState.PAYMENT_STATE_CAPTURED };
    },
  };
}

function fakePayments(asked: Asked): ServiceImplementation {
  return implement(PaymentServiceDefinition, {
    async failPayment(request) {
      if (asked.fault !== undefined) throw asked.fault;
      asked.changed.push({ verb: 'failed', userId: '', request });
      return { order: undefined };
    },
    async recordRefund(request) {
      if (asked.fault !== undefined) throw asked.fault;
      asked.changed.push({ verb: 'refunded', userId: '', request });
      return { payment: undefined };
    },
  });
}

const forwardedHeaders = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'];

/** Notes what a call carries, and refuses it when the test wants that. */
function noteOf(asked: Asked): (call: CallContext) => void {
  return (call) => {
    asked.forwarded.push(...forwardedHeaders.flatMap((name) => call.metadata(name) ?? []));
    if (asked.fault !== undefined && asked.faultsLeft > 0) {
      asked.faultsLeft -= 1;
      throw asked.fault;
    }
  };
}

function fakeService(asked: Asked): ServiceImplementation {
  const note = noteOf(asked);
  return implement(ReservationServiceDefinition, {
    async reserve(request, call) {
      note(call);
      const forUser = call.metadata('holdfast-for-user');
      asked.reservedFor.push({ by: userIn(call), forUser, request });
      return { outcome: { $case: 'held', value: { order: orderOf({ userId: forUser ?? '' }) } } };
    },
    reserveStream: (stream) => answerReservations(stream, asked),
    async getOrder({ orderId }, call) {
      note(call);
      return { order: orderOf({ orderId, userId: userIn(call) }) };
    },
    async cancelOrder(request, call) {
      note(call);
      const userId = userIn(call);
      asked.cancelled.push({ userId, request });
      return { order: orderOf({ orderId: request.orderId, userId, state: OrderState.ORDER_STATE_CANCELLED }) };
    },
    async getSku({ skuId }, call) {
      note(call);
      asked.addresses.push([call.metadata('holdfast-caller-address'), call.metadata('authorization')]);
      return { sku: { ...sku, skuId }, availability: { ...availability, skuId } };
    },
    async listSkus({ pageSize, pageToken, startsAfter, startsBefore }, call) {
      note(call);
      asked.pages.push({ pageSize, pageToken, time: [startsAfter, startsBefore] });
      return { skus: [sku, sku], availability: [availability, availability], nextPageToken: 'more' };
    },
    ...changesOf(asked, note),
    async listOrders(page, call) {
      note(call);
      asked.orderPages.push(page);
      return { orders: [orderOf({ userId: page.userId })], nextPageToken: 'more' };
    },
    watchOrder: ({ orderId }, call) => watched(asked.orders.watch(nameOf(orderId, call), call), 'order'),
    async getAvailability({ skuIds }, call) {
      note(call);
      asked.availabilityReads.push(skuIds);
      return { availability: skuIds.flatMap((skuId) => asked.availabilityOf(skuId) ?? []) };
    },
    async *watchPlace({ storeId, skuId }, call) {
      note(call);
      yield* asked.places.watch(nameOf(`${storeId} ${skuId}`, call), call);
    },
    async createRequestId(request, call) {
      note(call);
      asked.issued.push({ userId: userIn(call), request });
      return { requestId: 'hf1.issued', expiresAt: new Date('2030-01-01T00:30:00.000Z') };
    },
  });
}

function nameOf(what: string, call: CallContext): string {
  return `${userIn(call)} ${what}`;
}

function answerReservations(stream: ServerDuplex<ReserveStreamRequest, ReserveStreamResponse>, asked: Asked): void {
  const responder = new BatchResponder<
    ReserveStreamItem,
    ReserveStreamResult,
    ReserveStreamRequest,
    ReserveStreamResponse
  >({
    stream,
    name: 'ReserveStream',
    items: ({ items }) => items,
    wrap: (results) => ({ results }),
    onItems: (items) => {
      for (const item of items) void answer(item);
    },
  });
  const answer = async (item: ReserveStreamItem): Promise<void> => {
    asked.reserved.push(item);
    const given = await asked.answer(item);
    if (given === 'break') stream.fail(new Fault('UNAVAILABLE', 'the process is going'));
    else if (given !== 'never') responder.add({ itemId: item.itemId, result: resultOf(given) });
  };
}

function resultOf(answer: Exclude<Answer, string>): ReserveStreamResult['result'] {
  if (answer instanceof Fault) return { $case: 'error', value: toStatus(answer) };
  return { $case: 'response', value: { outcome: answer } };
}

/** A held order, with what differs. */
export function orderOf(parts: Partial<Order>): Order {
  return {
    orderId: '0a1b0000-0000-8000-8000-000000000001',
    storeId: 'store-1',
    userId: 'ana',
    requestId: 'key-1',
    state: OrderState.ORDER_STATE_HELD,
    version: 1,
    lines: [{ skuId: 'sku-1', quantity: 2, attendeeId: 'ana', unitPriceMinor: 1_500 }],
    amountMinor: 9_007_199_254_740_991,
    currency: 'EUR',
    createdAt: new Date('2030-01-01T00:00:00.000Z'),
    expiresAt: new Date('2030-01-01T00:15:00.000Z'),
    code: '',
    fulfilledAt: undefined,
    entryId: '',
    extendedAt: undefined,
    refusal: undefined,
    ...parts,
  };
}

/** What is said of every sku, with what differs. */
export const availability: Availability = {
  skuId: 'sku-1',
  state: AvailabilityState.AVAILABILITY_STATE_AVAILABLE,
  free: 7,
  reserved: 0,
  held: 1,
  sold: 0,
  nextReleaseAt: undefined,
  opensInMs: 0,
  onSale: true,
  cancelledAt: undefined,
};
