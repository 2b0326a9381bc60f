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
  type GetSkuResponse,
  type ListSkusRequest,
  type ListSkusResponse,
  type MoveOrderRequest,
  type MoveOrderResponse,
  ReservationServiceDefinition,
  type ReserveRequest,
  type ReserveResponse,
  type ReserveStreamItem,
  type ReserveStreamRequest,
  type ReserveStreamResponse,
  type ReserveStreamResult,
  type StartPaymentRequest,
} from '#libs/contracts/gen/holdfast/reservation/v1/reservation_service.js';
import type { WaitlistEntry } from '#libs/contracts/gen/holdfast/waitlist/v1/waitlist.js';
import {
  type AcceptOfferRequest,
  type LeaveWaitlistRequest,
  WaitlistServiceDefinition,
} from '#libs/contracts/gen/holdfast/waitlist/v1/waitlist_service.js';
import { Fault } from '#libs/refusal/fault.js';
import { BatchCaller } from '#libs/rpc/batch-caller.js';
import { connect } from '#libs/rpc/client.js';
import { fromStatus } from '#libs/rpc/status.js';
import type { Logger } from '#libs/runtime/logger.js';
import type { Metrics } from '#libs/runtime/metrics.js';

/** The gateway as this edge uses it. Everything rejects with Faults. */
export interface Gateway {
  /** The same user and request id may be sent again and again: they are the same order. */
  reserve(userId: string, request: ReserveRequest): Promise<ReserveResponse>;
  createRequestId(userId: string, request: CreateRequestIdRequest): Promise<CreateRequestIdResponse>;
  getOrder(userId: string, orderId: string): Promise<Order | undefined>;
  cancelOrder(userId: string, request: CancelOrderRequest): Promise<Order | undefined>;
  cancelOrderLines(userId: string, request: CancelOrderLinesRequest): Promise<Order | undefined>;
  moveOrder(userId: string, request: MoveOrderRequest): Promise<MoveOrderResponse['outcome']>;
  extendHold(userId: string, request: ExtendHoldRequest): Promise<Order | undefined>;
  startPayment(userId: string, request: StartPaymentRequest): Promise<PaymentSession | undefined>;
  /** Resolve once it is recorded. */
  confirmPayment(request: ConfirmPaymentRequest): Promise<void>;
  failPayment(request: FailPaymentRequest): Promise<void>;
  recordRefund(request: RecordRefundRequest): Promise<void>;
  getWaitlistEntry(userId: string, entryId: string): Promise<WaitlistEntry | undefined>;
  leaveWaitlist(userId: string, request: LeaveWaitlistRequest): Promise<WaitlistEntry | undefined>;
  acceptOffer(userId: string, request: AcceptOfferRequest): Promise<WaitlistEntry | undefined>;
  getSku(skuId: string): Promise<GetSkuResponse>;
  listSkus(request: ListSkusRequest): Promise<ListSkusResponse>;
  /** Whether any of its processes takes reservations. */
  isReachable(): boolean;
  close(): void;
}

export interface GatewayOptions {
  target: string;
  /** How long a request of an app is worked on. */
  deadlineMs: number;
  maxInFlight: number;
  logger: Logger;
  metrics: Metrics;
}

/** A gateway that breaks off says nothing of the outcome: the item is sent again, to another one, so many times in all. */
const triesMax = 4;

/** Reservations go by one batched stream to each gateway, which names their users; the rest by calls of their own. */
export function connectGateway({ target, deadlineMs, maxInFlight, logger, metrics }: GatewayOptions): Gateway {
  const client = connect(ReservationServiceDefinition, target, { defaultDeadlineMs: deadlineMs });
  const payments = connect(PaymentServiceDefinition, target, { defaultDeadlineMs: deadlineMs });
  const waitlist = connect(WaitlistServiceDefinition, target, { defaultDeadlineMs: deadlineMs });
  const reservations = new BatchCaller<
    ReserveStreamItem,
    ReserveStreamResult,
    ReserveStreamRequest,
    ReserveStreamResponse
  >({
    service: ReservationServiceDefinition,
    method: ReservationServiceDefinition.methods.reserveStream,
    target,
    wrap: (items) => ({ items }),
    results: ({ results }) => results,
    keyOf: ({ request }) => request?.storeId ?? '',
    maxWaiting: maxInFlight,
    logger,
    metrics,
  });
  const as = (userId: string) => ({ metadata: { 'x-holdfast-user': userId } });

  return {
    async reserve(userId, request) {
      const giveUpAt = performance.now() + deadlineMs;
      for (let tries = 1; ; tries += 1) {
        try {
          return responseOf(await reservations.call({ userId, request }, giveUpAt - performance.now()));
        } catch (thrown) {
          const isUnknown = thrown instanceof Fault && thrown.reason === 'UNAVAILABLE';
          if (!isUnknown || tries === triesMax || performance.now() >= giveUpAt) throw thrown;
        }
      }
    },
    createRequestId: (userId, request) => client.createRequestId(request, as(userId)),
    getOrder: async (userId, orderId) => (await client.getOrder({ orderId }, as(userId))).order,
    cancelOrder: async (userId, request) => (await client.cancelOrder(request, as(userId))).order,
    cancelOrderLines: async (userId, request) => (await client.cancelOrderLines(request, as(userId))).order,
    moveOrder: async (userId, request) => (await client.moveOrder(request, as(userId))).outcome,
    extendHold: async (userId, request) => (await client.extendHold(request, as(userId))).order,
    startPayment: async (userId, request) => (await client.startPayment(request, as(userId))).session,
    confirmPayment: async (request) => void (await client.confirmPayment(request)),
    failPayment: async (request) => void (await payments.failPayment(request)),
    recordRefund: async (request) => void (await payments.recordRefund(request)),
    getWaitlistEntry: async (userId, entryId) =>
      (await waitlist.getWaitlistEntry({ entryId, skuId: '' }, as(userId))).entry,
    leaveWaitlist: async (userId, request) => (await waitlist.leaveWaitlist(request, as(userId))).entry,
    acceptOffer: async (userId, request) => (await waitlist.acceptOffer(request, as(userId))).entry,
    getSku: (skuId) => client.getSku({ skuId }),
    listSkus: (request) => client.listSkus(request),
    isReachable: () => reservations.openPeers > 0,
    close() {
      reservations.close();
      client.close();
      payments.close();
      waitlist.close();
    },
  };
}

function responseOf({ result }: ReserveStreamResult): ReserveResponse {
  if (result?.$case === 'response') return result.value;
  throw result ? fromStatus(result.value) : new Fault('INTERNAL', 'The gateway gave a result that is not known here');
}
