import {
  Channel,
  LimitScope,
  type Order,
  type OrderLine,
  OrderState,
  type Refusal,
  RefusalReason,
} from '#libs/contracts/gen/holdfast/order/v1/order.js';

/** An order as apps read it: snake_case, states by name, int64 as text, times in RFC 3339 with Z. */
export function orderJson(order: Order) {
  return {
    order_id: order.orderId,
    store_id: order.storeId,
    user_id: order.userId,
    request_id: order.requestId,
    state: stateName(order.state),
    version: order.version,
    lines: order.lines.map(lineJson),
    amount_minor: String(order.amountMinor),
    currency: order.currency,
    created_at: order.createdAt?.toISOString(),
    expires_at: order.expiresAt?.toISOString(),
    refusal: order.refusal && refusalJson(order.refusal),
    code: order.code || undefined,
    fulfilled_at: order.fulfilledAt?.toISOString(),
    entry_id: order.entryId || undefined,
    extended_at: order.extendedAt?.toISOString(),
    // Said of orders that are not the user's own doing.
    channel: order.channel === Channel.CHANNEL_STAFF ? 'STAFF' : undefined,
  };
}

/** The order that the gateway was asked for, as apps read it. */
export function givenOrder(order: Order | undefined) {
  if (order === undefined) throw new Error('the gateway gave no order');
  return orderJson(order);
}

function lineJson(line: OrderLine) {
  return {
    sku_id: line.skuId,
    quantity: line.quantity,
    attendee_id: line.attendeeId,
    unit_price_minor: String(line.unitPriceMinor),
  };
}

/** The reason, the sku and the facts that belong to that reason. */
export function refusalJson(refusal: Refusal) {
  return {
    reason: reasonName(refusal.reason),
    sku_id: refusal.skuId || undefined,
    free: refusal.reason === RefusalReason.REFUSAL_REASON_NOT_ENOUGH ? refusal.free : undefined,
    next_release_at: refusal.nextReleaseAt?.toISOString(),
    opens_at: refusal.opensAt?.toISOString(),
    closed_at: refusal.closedAt?.toISOString(),
    slot_past: refusal.slotPast || undefined,
    limit: refusal.limit || undefined,
    scope: scopeName(refusal.scope),
    own_order_id: refusal.ownOrderId || undefined,
  };
}

/** Over what a limit counts; of a no that is about no limit there is none. */
function scopeName(scope: LimitScope): string | undefined {
  return scope === LimitScope.LIMIT_SCOPE_UNSPECIFIED ? undefined : LimitScope[scope]?.slice('LIMIT_SCOPE_'.length);
}

// A state or reason that only newer peers know has no name here.
function stateName(state: OrderState): string {
  return (OrderState[state] ?? 'ORDER_STATE_UNKNOWN').slice('ORDER_STATE_'.length);
}

function reasonName(reason: RefusalReason): string {
  return (RefusalReason[reason] ?? 'REFUSAL_REASON_REFUSED').slice('REFUSAL_REASON_'.length);
}
