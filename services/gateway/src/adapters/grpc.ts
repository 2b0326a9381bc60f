import { ReservationServiceDefinition } from '#libs/contracts/gen/holdfast/reservation/v1/reservation_service.js';
import type { CallContext } from '#libs/rpc/call-context.js';
import { type Handlers, implement, type ServiceImplementation } from '#libs/rpc/service.js';
import { fromStatus } from '#libs/rpc/status.js';
import type { Metrics } from '#libs/runtime/metrics.js';
import type { AccessLog } from '../app/access-log.js';
import type { Changes } from '../app/changes.js';
import { findOrder } from '../app/find-order.js';
import type { IssuedRequestIds } from '../app/issued-request-ids.js';
import type { CallLimits } from '../app/limits/call-limits.js';
import { listOrders } from '../app/list-orders.js';
import type { Peers } from '../app/ports.js';
import { asUser } from '../app/start-payment.js';
import { watchOrder } from '../app/watch-order.js';
import type { PlaceWatchers } from '../app/watch-place.js';
import { refuseIfAny } from '../domain/fields.js';
import { pageSizeOf } from '../domain/page-size.js';
import {
  validateCancel,
  validateCancelLines,
  validateChange,
  validateGetAvailability,
  validateGetSku,
  validateListOrders,
  validateListSkus,
  validateMove,
  validateOrderId,
  validatePayment,
} from '../domain/validate-requests.js';
import { answerCounter } from './answer-counter.js';
import { askerOf, principalOf, refuseOtherStores, userOf } from './identity.js';
import { createRequestId, watchPlace } from './line.js';
import { reserveStream } from './reserve-stream.js';
import { behindToll } from './toll.js';

export interface ReservationServiceOptions {
  peers: Peers;
  changes: Changes;
  callLimits: CallLimits;
  placeWatchers: PlaceWatchers;
  issuedRequestIds: IssuedRequestIds;
  shards: number;
  metrics: Metrics;
  accesses: Pick<AccessLog, 'note'>;
}

/** The public face: what the call pays, for whom it is, what is wrong with the request, then the verb. */
export function reservationService(options: ReservationServiceOptions): ServiceImplementation {
  const handlers = reservationHandlers(options);
  return implement(
    ReservationServiceDefinition,
    behindToll(ReservationServiceDefinition, handlers, options.callLimits),
  );
}

function reservationHandlers(options: ReservationServiceOptions): Handlers<typeof ReservationServiceDefinition> {
  const { peers, callLimits, metrics, accesses } = options;
  const { reserve } = options.changes;
  const count = answerCounter(metrics);
  return {
    async reserve(request, call) {
      const startedAt = performance.now();
      const userId = userOf(call);
      refuseOtherStores(call, request.storeId);
      const { role, userId: callerId } = principalOf(call);
      const staffId = role === 'STAFF' ? callerId : undefined;
      const answer = await reserve(userId, request, call.remainingMs(), staffId);
      count(answer);
      accesses.note(userId, request, answer, startedAt);
      if (answer.$case === 'error') throw fromStatus(answer.value);
      return answer.value;
    },
    reserveStream: reserveStream(reserve, { count, callLimits, metrics, accesses }),
    watchPlace: watchPlace(options.placeWatchers, options.shards),
    createRequestId: createRequestId(options.issuedRequestIds),
    async getOrder(request, call) {
      refuseIfAny(validateOrderId(request));
      return { order: await findOrder(peers, { orderId: request.orderId, userId: ownerAskedBy(call) }, call) };
    },
    async listOrders(request, call) {
      const asker = { role: principalOf(call).role, userId: askerOf(call).userId };
      refuseIfAny(validateListOrders(request));
      const page = { ...request, pageSize: pageSizeOf(request.pageSize) };
      return listOrders(peers.orders, page, { asker, caller: call });
    },
    ...changeHandlers(options.changes),
    async *watchOrder(request, call) {
      refuseIfAny(validateOrderId(request));
      const asked = { orderId: request.orderId, userId: ownerAskedBy(call) };
      for await (const order of watchOrder(peers, asked, call)) yield { order };
    },
    async getAvailability(request, call) {
      refuseIfAny(validateGetAvailability(request));
      return peers.inventory.getAvailability(request.skuIds, call);
    },
    async getSku(request, call) {
      refuseIfAny(validateGetSku(request));
      return peers.inventory.getSku(request.skuId, call);
    },
    async listSkus(request, call) {
      refuseIfAny(validateListSkus(request));
      return peers.inventory.listSkus({ ...request, pageSize: pageSizeOf(request.pageSize) }, call);
    },
  };
}

/** Whose order it must be; operators ask for anybody's, and what staff may the order service knows. */
function ownerAskedBy(call: CallContext): string {
  return principalOf(call).role === 'OPERATOR' ? '' : askerOf(call).userId;
}

type ChangeVerb = 'cancelOrder' | 'cancelOrderLines' | 'moveOrder' | 'extendHold' | 'startPayment' | 'confirmPayment';

/** The verbs that change an order that exists. */
function changeHandlers(changes: Changes): Pick<Handlers<typeof ReservationServiceDefinition>, ChangeVerb> {
  return {
    async cancelOrder(request, call) {
      const asker = askerOf(call);
      refuseIfAny(validateCancel(request));
      return changes.cancelOrder({ ...request, ...asker }, call);
    },
    async cancelOrderLines(request, call) {
      const asker = askerOf(call);
      refuseIfAny(validateCancelLines(request));
      return changes.cancelOrderLines({ ...request, ...asker }, call);
    },
    async moveOrder(request, call) {
      const asker = askerOf(call);
      refuseIfAny(validateMove(request));
      return changes.moveOrder({ ...request, ...asker }, call);
    },
    async extendHold(request, call) {
      const asker = askerOf(call);
      refuseIfAny(validateChange(request));
      return changes.extendHold({ ...request, ...asker }, call);
    },
    async startPayment(request, call) {
      const userId = userOf(call);
      refuseIfAny(validateChange(request));
      return changes.startPayment({ ...request, ...asUser, userId }, call);
    },
    async confirmPayment(request, call) {
      refuseIfAny(validatePayment(request));
      return changes.confirmPayment(request, call);
    },
  };
}
