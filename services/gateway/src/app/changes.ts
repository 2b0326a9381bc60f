import type {
  CancelOrderLinesRequest,
  CancelOrderLinesResponse,
  CancelOrderRequest,
  CancelOrderResponse,
  ConfirmPaymentRequest,
  ConfirmPaymentResponse,
  ExtendHoldRequest,
  ExtendHoldResponse,
  FailPaymentRequest,
  FailPaymentResponse,
  MoveOrderRequest,
  MoveOrderResponse,
  RecordRefundRequest,
  RecordRefundResponse,
  StartPaymentRequest,
  StartPaymentResponse,
} from '#libs/contracts/gen/holdfast/order/v1/order_service.js';
import type {
  AcceptOfferResponse,
  LeaveWaitlistResponse,
} from '#libs/contracts/gen/holdfast/waitlist/v1/waitlist_service.js';
import { cancelOrder } from './cancel-order.js';
import { cancelOrderLines } from './cancel-order-lines.js';
import { acceptOffer, leaveWaitlist } from './change-entry.js';
import { type ChangeOrder, type ChangeOrderOptions, createChangeOrder, type OrderChange } from './change-order.js';
import { confirmPayment } from './confirm-payment.js';
import { extendHold } from './extend-hold.js';
import { failPayment } from './fail-payment.js';
import { moveOrder } from './move-order.js';
import { createOwnOrders } from './own-orders.js';
import { createPlaceOrder } from './place-order.js';
import type { EntryChange, Peers } from './ports.js';
import { recordRefund } from './record-refund.js';
import { createReplay } from './replay-reservation.js';
import { createReserve, type Reserve, type ReserveOptions } from './reserve.js';
import { startPayment } from './start-payment.js';
import type { AskedByUser } from './user-change.js';

/** The verbs that change something, each carried out once for its request_id. */
export interface Changes {
  readonly reserve: Reserve;
  readonly cancelOrder: ChangeOrder<CancelOrderRequest, CancelOrderResponse>;
  readonly cancelOrderLines: ChangeOrder<CancelOrderLinesRequest, CancelOrderLinesResponse>;
  readonly moveOrder: ChangeOrder<MoveOrderRequest, MoveOrderResponse>;
  readonly extendHold: ChangeOrder<ExtendHoldRequest, ExtendHoldResponse>;
  readonly startPayment: ChangeOrder<StartPaymentRequest & AskedByUser, StartPaymentResponse>;
  readonly confirmPayment: ChangeOrder<ConfirmPaymentRequest, ConfirmPaymentResponse>;
  readonly failPayment: ChangeOrder<FailPaymentRequest, FailPaymentResponse>;
  readonly recordRefund: ChangeOrder<RecordRefundRequest, RecordRefundResponse>;
  readonly leaveWaitlist: ChangeOrder<EntryChange, LeaveWaitlistResponse>;
  readonly acceptOffer: ChangeOrder<EntryChange, AcceptOfferResponse>;
}

export type ChangesOptions = ChangeOrderOptions & Omit<ReserveOptions, 'placeOrder' | 'replay'>;

export function createChanges(peers: Peers, options: ChangesOptions): Changes & { close(): void } {
  const { inventory, orders, waitlists } = peers;
  const ownOrder = createOwnOrders(orders);
  const reserving = createReserve({
    ...options,
    placeOrder: createPlaceOrder({ placeHold: inventory.placeHold, ownOrder, logger: options.logger }),
    replay: createReplay({
      ownOrder,
      findClaim: (orderId) => inventory.findClaim(orderId),
      findEntry: (entry) => waitlists.find(entry),
    }),
  });
  const closers = [() => reserving.close()];
  function once<Request extends { orderId: string; requestId: string }, Response>(
    change: OrderChange<Request, Response>,
  ): ChangeOrder<Request, Response> {
    const { changeOrder, close } = createChangeOrder(change, options);
    closers.push(close);
    return changeOrder;
  }
  return {
    reserve: reserving.reserve,
    cancelOrder: once(cancelOrder(peers)),
    cancelOrderLines: once(cancelOrderLines(peers)),
    moveOrder: once(moveOrder(peers)),
    extendHold: once(extendHold(peers)),
    startPayment: once(startPayment(peers)),
    confirmPayment: once(confirmPayment(orders)),
    failPayment: once(failPayment(peers)),
    recordRefund: once(recordRefund(orders)),
    leaveWaitlist: once(leaveWaitlist(peers)),
    acceptOffer: once(acceptOffer(peers)),
    close() {
      for (const close of closers) close();
    },
  };
}
