import type {
  GetAvailabilityResponse,
  GetSkuResponse,
  LimitsKey,
  ListLimitsRequest,
  ListLimitsResponse,
  ListSkusRequest,
  ListSkusResponse,
  PlaceHoldsItem,
  PlaceHoldsResult,
  SetLimitsRequest,
  SetLimitsResponse,
} from '#libs/contracts/gen/holdfast/inventory/v1/inventory_service.js';
import type { SkuLimits } from '#libs/contracts/gen/holdfast/inventory/v1/sku.js';
import type { Order } from '#libs/contracts/gen/holdfast/order/v1/order.js';
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
  ListOrdersRequest,
  ListOrdersResponse,
  MoveOrderRequest,
  MoveOrderResponse,
  RecordRefundRequest,
  RecordRefundResponse,
  StartPaymentRequest,
  StartPaymentResponse,
} from '#libs/contracts/gen/holdfast/order/v1/order_service.js';
import type { WaitlistEntry } from '#libs/contracts/gen/holdfast/waitlist/v1/waitlist.js';
import type {
  AcceptOfferResponse,
  LeaveWaitlistResponse,
  WatchWaitlistResponse,
} from '#libs/contracts/gen/holdfast/waitlist/v1/waitlist_service.js';
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
  /**
   * The undecided claim as an order, undefined when there is none. Rejects with UNAVAILABLE while the journal cannot be read.
   * Without a caller it is worth a second of waiting.
   */
  findClaim(orderId: string, caller?: Caller): Promise<Order | undefined>;
  getSku(skuId: string, caller: Caller): Promise<GetSkuResponse>;
  listSkus(request: ListSkusRequest, caller: Caller): Promise<ListSkusResponse>;
  getAvailability(skuIds: string[], caller: Caller): Promise<GetAvailabilityResponse>;
  /** What holds for 1..1000 skus, in the order asked. It is worth `waitMs` of waiting. */
  batchGetLimits(keys: LimitsKey[], waitMs: number): Promise<SkuLimits[]>;
  listLimits(request: ListLimitsRequest, caller: Caller): Promise<ListLimitsResponse>;
  setLimits(request: SetLimitsRequest, caller: Caller): Promise<SetLimitsResponse>;
}

/** What has a row. Undefined stands for no such order, or none of this user. */
export interface Orders {
  /** Without a caller it is worth a second of waiting. */
  find(order: { orderId: string; userId: string }, caller?: Caller): Promise<Order | undefined>;
  list(request: ListOrdersRequest, caller: Caller): Promise<ListOrdersResponse>;
  cancel(request: CancelOrderRequest, caller: Caller): Promise<CancelOrderResponse | undefined>;
  cancelLines(request: CancelOrderLinesRequest, caller: Caller): Promise<CancelOrderLinesResponse | undefined>;
  move(request: MoveOrderRequest, caller: Caller): Promise<MoveOrderResponse | undefined>;
  extendHold(request: ExtendHoldRequest, caller: Caller): Promise<ExtendHoldResponse | undefined>;
  startPayment(request: StartPaymentRequest, caller: Caller): Promise<StartPaymentResponse | undefined>;
  failPayment(request: FailPaymentRequest, caller: Caller): Promise<FailPaymentResponse | undefined>;
  /** Recorded whether or not there is such an order. */
  confirmPayment(request: ConfirmPaymentRequest, caller: Caller): Promise<ConfirmPaymentResponse>;
  recordRefund(request: RecordRefundRequest, caller: Caller): Promise<RecordRefundResponse>;
  /** The order now and after each change, until its state is final. */
  watch(order: { orderId: string; userId: string }, caller: Caller): AsyncIterable<Order>;
}

/** A change of an entry, as changes of orders are carried out: orderId is the entry's. */
export interface EntryChange {
  orderId: string;
  requestId: string;
  reason: string;
  userId: string;
}

/** Entries of waitlists. What is not there, or is another's, rejects with WAITLIST_ENTRY_NOT_FOUND. */
export interface Waitlists {
  /** Without a caller it is worth a second of waiting. */
  find(entry: { entryId: string; userId: string }, caller?: Caller): Promise<WaitlistEntry | undefined>;
  /** The one by which the user waits at the sku. */
  findBySku(entry: { skuId: string; userId: string }, caller: Caller): Promise<WaitlistEntry | undefined>;
  leave(change: EntryChange, caller: Caller): Promise<LeaveWaitlistResponse>;
  accept(change: EntryChange, caller: Caller): Promise<AcceptOfferResponse>;
  /** The entry now and after each change, until its state is final. */
  watch(entry: { entryId: string; userId: string }, caller: Caller): AsyncIterable<WatchWaitlistResponse>;
}

export interface Peers {
  readonly inventory: Inventory;
  readonly orders: Orders;
  readonly waitlists: Waitlists;
}

/** How many requests for one sku are let through, and what becomes of the others. */
export interface SkuLimit {
  readonly skuId: string;
  readonly perSecond: number;
  readonly burst: number;
  /** Beyond it: a place in line, or RATE_LIMITED. */
  readonly onBusy: 'QUEUE' | 'FAIL';
  /** The store takes only request ids that were issued. */
  readonly issuedOnly: boolean;
}

/** A change as it begins: its mark, and what it has to pay. */
export interface Beginning {
  /** Names the mark: an order's id, or what is computed like one from user, method and request_id. */
  readonly markId: string;
  readonly shard: number;
  /** Of what is asked, by meaning: the same for every way of writing the same. */
  readonly fingerprint: string;
  /** Of this try; nobody else has the same. */
  readonly owner: string;
  /** Whose bucket a token is spent of; empty for a change that is no user's to pay for. */
  readonly userId: string;
  readonly storeId: string;
  /** Only what is known already: an unknown request does not begin, and pays nothing. */
  readonly knownOnly?: boolean;
  /** Skus of which a token is spent, all or none, and once for each mark: not for a replay, nor for another try. */
  readonly skus: readonly SkuLimit[];
}

/** What becomes of a beginning. */
export type Begun =
  /** It is this try's to execute. No other try of it began within `firstForMs`; 0 when one is known of. */
  | { readonly kind: 'GO'; readonly firstForMs: number }
  /** Another try is executing it. */
  | { readonly kind: 'IN_PROGRESS' }
  /** It was answered `ageMs` ago. A HELD answer is empty when its order was changed since, or was about to be. */
  | { readonly kind: 'DONE'; readonly outcome: StoredOutcome; readonly ageMs: number; readonly answer: Uint8Array }
  /** With knownOnly: no try of it is known. */
  | { readonly kind: 'UNKNOWN' }
  /** The id was used for something else. */
  | { readonly kind: 'REUSED' }
  | { readonly kind: 'QUEUED'; readonly skuId: string; readonly peopleAhead: number; readonly retryAfterMs: number }
  | Limited;

/** Too many requests: which limit says so, and the exact time at which it would let one through. */
export interface Limited {
  readonly kind: 'LIMITED';
  readonly limit: 'STORE_SKU' | 'USER' | 'CALLER';
  /** With STORE_SKU. */
  readonly skuId?: string;
  readonly perSecond: number;
  readonly burst: number;
  readonly retryAfterMs: number;
}

/** Outcomes that are stored. `OK` is the answer to a change other than Reserve. */
export type StoredOutcome = 'HELD' | 'PENDING' | 'REFUSED' | 'WAITLISTED' | 'OK';

/** An answer that is replayed. */
export interface StoredAnswer {
  readonly kind: 'STORE';
  readonly outcome: StoredOutcome;
  readonly answer: Uint8Array;
  /**
   * Of a no that may have no row: it is stored only while all gateways keep marks. When the reply is lost it is asked again
   * until then (ms, monotonic), for other tries may be told it already.
   */
  readonly askUntil?: number;
}

/** How a try that was told GO ends. Without effect when the mark is not its own any more. */
export interface Ending {
  readonly markId: string;
  readonly shard: number;
  readonly owner: string;
  /**
   * STORE: replayed from now on. FORGET: it had no effect and left nothing behind, the next try is as good as the first.
   * LEAVE: nobody knows, or it may be tried again; the next try executes it, and is not the first.
   */
  readonly as: StoredAnswer | { readonly kind: 'FORGET' } | { readonly kind: 'LEAVE' };
  /** What the answer says of its skus: until when nobody need wait in line for a no, or that there are units again (0). */
  readonly shut: readonly { readonly storeId: string; readonly skuId: string; readonly forMs: number }[];
}

/** Where a place in line has got to. */
export interface Place {
  readonly state: 'WAITING' | 'DUE' | 'GONE';
  readonly peopleAhead: number;
  readonly retryAfterMs: number;
}

/**
 * Marks, buckets and lines, shared by all gateways. Calls share round trips. Everything rejects with Fault UNAVAILABLE
 * while they cannot be asked, at once when that is known: then each gateway goes by itself.
 */
export interface Requests {
  /** After a rejection there is no mark of this try, and nothing to end. */
  begin(beginning: Beginning): Promise<Begun>;
  /**
   * Whether it had its effect. After a rejection nobody knows: it is told again in the background as long as the lease runs,
   * and a no that may have no row is left.
   */
  end(ending: Ending): Promise<boolean>;
  /** Prolongs what this try holds by another lease (10 s). */
  renew(mark: Pick<Ending, 'markId' | 'shard' | 'owner'>): Promise<void>;
  /** An order is about to be changed: from now on its replays read it instead of telling what was stored. */
  changing(orderId: string, shard: number): Promise<void>;
  /** An order came to be without its mark, or past it: a no that the mark may have is not told any more. */
  born(orderId: string, shard: number): Promise<void>;
  /** The place of a user in the line of a sku; asking keeps it. */
  place(place: { storeId: string; shard: number; skuId: string; userId: string }): Promise<Place>;
  /** Tokens of a bucket for this process to spend: at most `wanted`, none when it is empty and when there will be one. */
  lease(bucket: Lease): Promise<{ tokens: number; retryAfterMs: number }>;
  /** Gateways seen in the last seconds, as last heard: at least 1. */
  readonly gateways: number;
}

/** A bucket of a user or a caller, and how many of its tokens are wanted. */
export interface Lease {
  readonly limit: 'USER' | 'CALLER';
  readonly id: string;
  readonly perSecond: number;
  readonly burst: number;
  readonly wanted: number;
}
