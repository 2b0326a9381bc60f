import { ReservationServiceDefinition } from '#libs/contracts/gen/holdfast/reservation/v1/reservation_service.js';
import { Fault } from '#libs/refusal/fault.js';
import { implement, type ServiceImplementation } from '#libs/rpc/service.js';
import { fromStatus } from '#libs/rpc/status.js';
import type { Metrics } from '#libs/runtime/metrics.js';
import type { Changes } from '../app/changes.js';
import { findOrder } from '../app/find-order.js';
import { listOrders } from '../app/list-orders.js';
import type { Peers } from '../app/ports.js';
import { watchOrder } from '../app/watch-order.js';
import { refuseIfAny } from '../domain/fields.js';
import { pageSizeOf } from '../domain/page-size.js';
import {
  validateCancel,
  validateGetAvailability,
  validateGetSku,
  validateListOrders,
  validateListSkus,
  validateOrderId,
  validatePayment,
} from '../domain/validate-requests.js';
import { answerCounter } from './answer-counter.js';
import { identityOf, userOf } from './identity.js';
import { reserveStream } from './reserve-stream.js';

/** The public face: who calls, what is wrong with the request, then the verb. */
export function reservationService(peers: Peers, changes: Changes, metrics: Metrics): ServiceImplementation {
  const { reserve, cancelOrder, confirmPayment } = changes;
  const count = answerCounter(metrics);
  return implement(ReservationServiceDefinition, {
    async reserve(request, call) {
      const answer = await reserve(userOf(call), request, call.remainingMs());
      count(answer);
      if (answer.$case === 'error') throw fromStatus(answer.value);
      return answer.value;
    },
    reserveStream: reserveStream(reserve, { count, metrics }),
    // biome-ignore lint/correctness/useYield: it comes with the line
    async *watchPlace() {
      throw new Fault('INTERNAL', 'there is no line yet');
    },
    async createRequestId() {
      throw new Fault('INTERNAL', 'there are no issued request ids yet');
    },
    async getOrder(request, call) {
      const userId = userOf(call);
      refuseIfAny(validateOrderId(request));
      return { order: await findOrder(peers, { orderId: request.orderId, userId }, call) };
    },
    async listOrders(request, call) {
      const identity = identityOf(call);
      refuseIfAny(validateListOrders(request));
      const page = { ...request, pageSize: pageSizeOf(request.pageSize) };
      return listOrders(peers.orders, page, { identity, caller: call });
    },
    async cancelOrder(request, call) {
      const userId = userOf(call);
      refuseIfAny(validateCancel(request));
      return cancelOrder({ ...request, userId }, call);
    },
    async confirmPayment(request, call) {
      refuseIfAny(validatePayment(request));
      return confirmPayment(request, call);
    },
    async *watchOrder(request, call) {
      const userId = userOf(call);
      refuseIfAny(validateOrderId(request));
      for await (const order of watchOrder(peers, { orderId: request.orderId, userId }, call)) yield { order };
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
  });
}
