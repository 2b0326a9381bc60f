import type { Availability } from '#libs/contracts/gen/holdfast/inventory/v1/sku.js';
import type { Order } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import type { PaymentSession } from '#libs/contracts/gen/holdfast/order/v1/payment.js';
import {
  type FailPaymentRequest,
  PaymentServiceDefinition,
  type RecordRefundRequest,
} from '#libs/contracts/gen/holdfast/reservation/v1/payment_service.js';
import {
  type CancelOrderLinesRequest,
  type CancelOrderRequest,
  type ConfirmPaymentRequest,
  type CreateRequestIdRequest,
  type CreateRequestIdResponse,
  type ExtendHoldRequest,
  type GetAvailabilityRequest,
  type GetSkuResponse,
  type ListOrdersRequest,
  type ListOrdersResponse,
  type ListSkusRequest,
  type ListSkusResponse,
  type MoveOrderRequest,
  type MoveOrderResponse,
  ReservationServiceDefinition,
  type ReserveRequest,
  type ReserveResponse,
  type StartPaymentRequest,
  type WatchPlaceRequest,
  type WatchPlaceResponse,
} from '#libs/contracts/gen/holdfast/reservation/v1/reservation_service.js';
import type { WaitlistEntry } from '#libs/contracts/gen/holdfast/waitlist/v1/waitlist.js';
import {
  type AcceptOfferRequest,
  type LeaveWaitlistRequest,
  WaitlistServiceDefinition,
} from '#libs/contracts/gen/holdfast/waitlist/v1/waitlist_service.js';
import { Fault } from '#libs/refusal/fault.js';
import { connect } from '#libs/rpc/client.js';
import type { Target } from '#libs/rpc/target.js';
import type { Logger } from '#libs/runtime/logger.js';
import type { Metrics } from '#libs/runtime/metrics.js';
import type { Caller } from './identity.js';
import { openReservations } from './reservations.js';

/** The gateway as this edge uses it. Everything rejects with Faults. Notices of payments are told by the edge itself. */
export interface Gateway {
  /** The same user and request id may be sent again and again: they are the same order. */
  reserve(caller: Caller, request: ReserveRequest): Promise<ReserveResponse>;
  createRequestId(caller: Caller, request: CreateRequestIdRequest): Promise<CreateRequestIdResponse>;
  getOrder(caller: Caller, orderId: string): Promise<Order | undefined>;
  /** The caller's own, newest first. */
  listOrders(caller: Caller, page: Pick<ListOrdersRequest, 'pageSize' | 'pageToken'>): Promise<ListOrdersResponse>;
  cancelOrder(caller: Caller, request: CancelOrderRequest): Promise<Order | undefined>;
  cancelOrderLines(caller: Caller, request: CancelOrderLinesRequest): Promise<Order | undefined>;
  moveOrder(caller: Caller, request: MoveOrderRequest): Promise<MoveOrderResponse['outcome']>;
  extendHold(caller: Caller, request: ExtendHoldRequest): Promise<Order | undefined>;
  startPayment(caller: Caller, request: StartPaymentRequest): Promise<PaymentSession | undefined>;
  /** Resolve once it is recorded. */
  confirmPayment(request: ConfirmPaymentRequest): Promise<void>;
  failPayment(request: FailPaymentRequest): Promise<void>;
  recordRefund(request: RecordRefundRequest): Promise<void>;
  getWaitlistEntry(caller: Caller, entryId: string): Promise<WaitlistEntry | undefined>;
  leaveWaitlist(caller: Caller, request: LeaveWaitlistRequest): Promise<WaitlistEntry | undefined>;
  acceptOffer(caller: Caller, request: AcceptOfferRequest): Promise<WaitlistEntry | undefined>;
  /** Reads of anybody name the address from which they are asked for: its limit is that of nobody else. */
  getSku(skuId: string, address: string): Promise<GetSkuResponse>;
  listSkus(request: ListSkusRequest, address: string): Promise<ListSkusResponse>;
  /** Without an address for all who listen. */
  getAvailability(request: GetAvailabilityRequest, address?: string): Promise<Availability[]>;
  /** The place in line as it is now. */
  getPlace(caller: Caller, request: WatchPlaceRequest): Promise<WatchPlaceResponse>;
  /** It now and after each change, until nothing comes any more or `left` aborts. They end also when a gateway goes. */
  watchOrder(caller: Caller, orderId: string, left: AbortSignal): AsyncIterable<Order | undefined>;
  watchWaitlist(caller: Caller, entryId: string, left: AbortSignal): AsyncIterable<WaitlistEntry | undefined>;
  watchPlace(caller: Caller, request: WatchPlaceRequest, left: AbortSignal): AsyncIterable<WatchPlaceResponse>;
  /** Whether any of its processes takes reservations. */
  isReachable(): boolean;
  close(): void;
}

export interface GatewayOptions {
  target: Target;
  /** How long a request of an app is worked on. */
  deadlineMs: number;
  maxInFlight: number;
  /** As whom this edge speaks for itself. */
  ownMetadata: () => Readonly<Record<string, string>>;
  logger: Logger;
  metrics: Metrics;
}

/** Whoever is watched for longer is watched anew. */
const watchDeadlineMs = 3_600_000;

/** Reservations of users go by one batched stream to each gateway, which names them; the rest by calls with the caller's token. */
export function connectGateway(options: GatewayOptions): Gateway {
  const { target, deadlineMs, ownMetadata } = options;
  const client = connect(ReservationServiceDefinition, target, { defaultDeadlineMs: deadlineMs });
  const payments = connect(PaymentServiceDefinition, target, { defaultDeadlineMs: deadlineMs });
  const waitlist = connect(WaitlistServiceDefinition, target, { defaultDeadlineMs: deadlineMs });
  const reservations = openReservations(options);
  const as = ({ metadata }: Caller) => ({ metadata });
  const own = () => ({ metadata: ownMetadata() });
  const from = (address: string) => ({ metadata: { ...ownMetadata(), 'holdfast-caller-address': address } });
  const watching = (caller: Caller, signal: AbortSignal) => ({ ...as(caller), signal, deadlineMs: watchDeadlineMs });

  return {
    // Only users are spoken for by the stream, which says who they are. Whoever acts for others says so to the gateway.
    reserve: (caller, request) =>
      caller.role === 'USER' ? reservations.reserve(caller.userId, request) : client.reserve(request, as(caller)),
    createRequestId: (caller, request) => client.createRequestId(request, as(caller)),
    getOrder: async (caller, orderId) => (await client.getOrder({ orderId }, as(caller))).order,
    listOrders: (caller, page) => client.listOrders({ userId: caller.userId, skuId: '', ...page }, as(caller)),
    cancelOrder: async (caller, request) => (await client.cancelOrder(request, as(caller))).order,
    cancelOrderLines: async (caller, request) => (await client.cancelOrderLines(request, as(caller))).order,
    moveOrder: async (caller, request) => (await client.moveOrder(request, as(caller))).outcome,
    extendHold: async (caller, request) => (await client.extendHold(request, as(caller))).order,
    startPayment: async (caller, request) => (await client.startPayment(request, as(caller))).session,
    confirmPayment: async (request) => void (await client.confirmPayment(request, own())),
    failPayment: async (request) => void (await payments.failPayment(request, own())),
    recordRefund: async (request) => void (await payments.recordRefund(request, own())),
    getWaitlistEntry: async (caller, entryId) =>
      (await waitlist.getWaitlistEntry({ entryId, skuId: '' }, as(caller))).entry,
    leaveWaitlist: async (caller, request) => (await waitlist.leaveWaitlist(request, as(caller))).entry,
    acceptOffer: async (caller, request) => (await waitlist.acceptOffer(request, as(caller))).entry,
    getSku: (skuId, address) => client.getSku({ skuId }, from(address)),
    listSkus: (request, address) => client.listSkus(request, from(address)),
    getPlace: (caller, request) => firstOf(client.watchPlace(request, as(caller))),
    getAvailability: async (request, address) =>
      (await client.getAvailability(request, address === undefined ? {} : from(address))).availability,
    async *watchOrder(caller, orderId, left) {
      for await (const { order } of client.watchOrder({ orderId }, watching(caller, left))) yield order;
    },
    async *watchWaitlist(caller, entryId, left) {
      for await (const { entry } of waitlist.watchWaitlist({ entryId }, watching(caller, left))) yield entry;
    },
    watchPlace: (caller, request, left) => client.watchPlace(request, watching(caller, left)),
    isReachable: () => reservations.isReachable(),
    close() {
      reservations.close();
      client.close();
      payments.close();
      waitlist.close();
    },
  };
}

/** The first word of a stream, which is left with it. */
async function firstOf<Item>(items: AsyncIterable<Item>): Promise<Item> {
  for await (const item of items) return item;
  throw new Fault('UNAVAILABLE', 'The gateway said nothing');
}
