import type {
  GetAvailabilityResponse,
  GetSkuResponse,
  ListSkusRequest,
  ListSkusResponse,
  PlaceHoldsItem,
  PlaceHoldsResult,
} from '#libs/contracts/gen/holdfast/inventory/v1/inventory_service.js';
import type { Order } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import type {
  CancelOrderRequest,
  ConfirmPaymentRequest,
  ConfirmPaymentResponse,
  ListOrdersRequest,
  ListOrdersResponse,
} from '#libs/contracts/gen/holdfast/order/v1/order_service.js';
import type { CallContext } from '#libs/rpc/call-context.js';

// Orders, skus and refusals pass through as their owners wrote them. The gateway gives them no meaning of its own, so
// the contract's types serve here too, and a reservation is copied nowhere on its way.

/** The call that is being served: who waits for an answer, how long still, and whether still. */
export type Caller = CallContext;

/** One order to place. */
export type Hold = Omit<PlaceHoldsItem, 'itemId' | 'remainingMs'>;

/** Everything rejects with a Fault whose message may be shown to callers. */
export interface Inventory {
  /** Rejects with UNAVAILABLE when the peer that took the order broke off, or none was there: the outcome is unknown. */
  placeHold(hold: Hold, waitMs: number): Promise<PlaceHoldsResult>;
  /** The undecided claim as an order, undefined when there is none. Rejects with UNAVAILABLE while the journal cannot be read. */
  findClaim(orderId: string, caller: Caller): Promise<Order | undefined>;
  getSku(skuId: string, caller: Caller): Promise<GetSkuResponse>;
  listSkus(request: ListSkusRequest, caller: Caller): Promise<ListSkusResponse>;
  getAvailability(skuIds: string[], caller: Caller): Promise<GetAvailabilityResponse>;
}

/** What has a row. Undefined stands for no such order, or none of this user. */
export interface Orders {
  /** Without a caller it is worth a second of waiting. */
  find(order: { orderId: string; userId: string }, caller?: Caller): Promise<Order | undefined>;
  list(request: ListOrdersRequest, caller: Caller): Promise<ListOrdersResponse>;
  cancel(request: CancelOrderRequest, caller: Caller): Promise<Order | undefined>;
  confirmPayment(request: ConfirmPaymentRequest, caller: Caller): Promise<ConfirmPaymentResponse | undefined>;
  /** The order now and after each change, until its state is final. */
  watch(order: { orderId: string; userId: string }, caller: Caller): AsyncIterable<Order>;
}

export interface Peers {
  readonly inventory: Inventory;
  readonly orders: Orders;
}
