import type {
  CancelOrderRequest,
  CancelOrderResponse,
  ConfirmPaymentRequest,
  ConfirmPaymentResponse,
} from '#libs/contracts/gen/holdfast/order/v1/order_service.js';
import { cancelOrder } from './cancel-order.js';
import { type ChangeOrder, type ChangeOrderOptions, createChangeOrder } from './change-order.js';
import { confirmPayment } from './confirm-payment.js';
import { createOwnOrders } from './own-orders.js';
import { createPlaceOrder } from './place-order.js';
import type { Peers } from './ports.js';
import { createReplay } from './replay-reservation.js';
import { createReserve, type Reserve, type ReserveOptions } from './reserve.js';

/** The three verbs that change something, each carried out once for its request_id. */
export interface Changes {
  readonly reserve: Reserve;
  readonly cancelOrder: ChangeOrder<CancelOrderRequest, CancelOrderResponse>;
  readonly confirmPayment: ChangeOrder<ConfirmPaymentRequest, ConfirmPaymentResponse>;
}

export type ChangesOptions = ChangeOrderOptions & Omit<ReserveOptions, 'placeOrder' | 'replay'>;

export function createChanges(peers: Peers, options: ChangesOptions): Changes & { close(): void } {
  const { inventory, orders } = peers;
  const ownOrder = createOwnOrders(orders);
  const reserving = createReserve({
    ...options,
    placeOrder: createPlaceOrder({ placeHold: inventory.placeHold, ownOrder, logger: options.logger }),
    replay: createReplay({ ownOrder, findClaim: (orderId) => inventory.findClaim(orderId) }),
  });
  const cancelling = createChangeOrder(cancelOrder(peers), options);
  const confirming = createChangeOrder(confirmPayment(peers), options);
  return {
    reserve: reserving.reserve,
    cancelOrder: cancelling.changeOrder,
    confirmPayment: confirming.changeOrder,
    close() {
      for (const verb of [reserving, cancelling, confirming]) verb.close();
    },
  };
}
