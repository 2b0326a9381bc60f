import { OrderServiceDefinition } from '#libs/contracts/gen/holdfast/order/v1/order_service.js';
import { connect } from '#libs/rpc/client.js';
import type { Target } from '#libs/rpc/target.js';
import type { Orders } from '../app/ports.js';
import { defaultDeadlineMs, ifFound, whileWatched, within } from './inner-calls.js';

/** The order service. */
export function connectOrders(target: Target): Orders & { close(): void } {
  const client = connect(OrderServiceDefinition, target, { defaultDeadlineMs });

  return {
    async find({ orderId, userId }, caller) {
      const found = await ifFound(client.getOrder({ orderId, userId }, within(caller)));
      return found?.order;
    },
    list: (request, caller) => client.listOrders(request, within(caller)),
    cancel: (request, caller) => ifFound(client.cancelOrder(request, within(caller))),
    cancelLines: (request, caller) => ifFound(client.cancelOrderLines(request, within(caller))),
    move: (request, caller) => ifFound(client.moveOrder(request, within(caller))),
    extendHold: (request, caller) => ifFound(client.extendHold(request, within(caller))),
    startPayment: (request, caller) => ifFound(client.startPayment(request, within(caller))),
    failPayment: (request, caller) => ifFound(client.failPayment(request, within(caller))),
    confirmPayment: (request, caller) => client.confirmPayment(request, within(caller)),
    recordRefund: (request, caller) => client.recordRefund(request, within(caller)),
    async *watch({ orderId, userId }, caller) {
      for await (const { order } of client.watchOrder({ orderId, userId }, whileWatched(caller))) {
        if (order !== undefined) yield order;
      }
    },
    close: () => client.close(),
  };
}
