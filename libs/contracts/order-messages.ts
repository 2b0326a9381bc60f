import type { Decision as DecisionMessage } from '#libs/contracts/gen/holdfast/event/v1/decision.js';
import {
  type BookedBy as BookedByMessage,
  Channel,
  LimitScope,
  type Order,
  OrderState,
  type Refusal as RefusalMessage,
  RefusalReason,
} from '#libs/contracts/gen/holdfast/order/v1/order.js';
import type { BookedBy } from '#libs/ledger/claims-batch.js';
import type { ClaimFaultReason, Decision } from '#libs/ledger/decision.js';
import type { LedgerOrder } from '#libs/ledger/rows.js';
import { Fault, titleOf } from '#libs/refusal/fault.js';
import type { Refusal } from '#libs/refusal/refusal.js';
import { fromStatus, toStatus } from '#libs/rpc/status.js';
import { fromEntryWordMessage, toEntryWordMessage } from './waitlist-messages.js';

/** The ledger's order as the contracts carry it. */
export function toOrderMessage(order: LedgerOrder): Order {
  return {
    orderId: order.orderId,
    storeId: order.storeId,
    userId: order.userId,
    requestId: order.requestId,
    state: STATE_MESSAGES[order.state],
    version: order.version,
    lines: order.lines.map(({ skuId, quantity, attendeeId, unitPriceMinor }) => ({
      skuId,
      quantity,
      attendeeId,
      unitPriceMinor,
    })),
    amountMinor: order.amountMinor,
    currency: order.currency,
    createdAt: order.createdAt,
    expiresAt: order.expiresAt,
    refusal: order.refusal && toRefusalMessage(order.refusal),
    code: order.code ?? '',
    fulfilledAt: order.fulfilledAt,
    entryId: order.entryId ?? '',
    extendedAt: order.extendedAt,
    channel: order.channel === 'STAFF' ? Channel.CHANNEL_STAFF : Channel.CHANNEL_APP,
  };
}

/** Staff who book a claim, as the contracts carry them. */
export function toBookedByMessage({ by, forceReason }: BookedBy): BookedByMessage {
  return { staffId: by, forceReason: forceReason ?? '' };
}

/** Messages of before staff booked have none. */
export function fromBookedByMessage(message: BookedByMessage | undefined): BookedBy | undefined {
  if (message === undefined) return undefined;
  const { staffId: by, forceReason } = message;
  return { by, ...(forceReason !== '' && { forceReason }) };
}

export function toRefusalMessage(refusal: Refusal): RefusalMessage {
  return {
    reason: RefusalReason[`REFUSAL_REASON_${refusal.reason}`],
    skuId: refusal.skuId,
    free: refusal.free ?? 0,
    nextReleaseAt: refusal.nextReleaseAt,
    opensAt: refusal.opensAt,
    closedAt: refusal.closedAt,
    slotPast: refusal.slotPast ?? false,
    limit: refusal.limit ?? 0,
    ownOrderId: refusal.ownOrderId ?? '',
    scope:
      refusal.reason === 'LIMIT_REACHED'
        ? LimitScope[`LIMIT_SCOPE_${refusal.scope ?? 'SKU'}`]
        : LimitScope.LIMIT_SCOPE_UNSPECIFIED,
  };
}

export function toDecisionMessage(decision: Decision): DecisionMessage {
  const { orderId } = decision;
  if (decision.kind === 'ORDER') return { orderId, decided: { $case: 'order', value: toOrderMessage(decision.order) } };
  if (decision.kind === 'REFUSED') {
    return { orderId, decided: { $case: 'refusal', value: toRefusalMessage(decision.refusal) } };
  }
  if (decision.kind === 'WAITLISTED') {
    return { orderId, decided: { $case: 'waitlisted', value: toEntryWordMessage(decision.entry) } };
  }
  const fault = new Fault(decision.reason, titleOf(decision.reason), { metadata: decision.metadata });
  return { orderId, decided: { $case: 'error', value: toStatus(fault) } };
}

/** The decision in a message; undefined when the message says nothing that this version understands. */
export function fromDecisionMessage({ orderId, decided }: DecisionMessage): Decision | undefined {
  switch (decided?.$case) {
    case 'order': {
      const order = fromOrderMessage(decided.value);
      return order && { orderId, kind: 'ORDER', order };
    }
    case 'refusal': {
      const refusal = fromRefusalMessage(decided.value);
      return refusal && { orderId, kind: 'REFUSED', refusal, recorded: true };
    }
    case 'waitlisted': {
      const entry = fromEntryWordMessage(decided.value);
      return entry && { orderId, kind: 'WAITLISTED', entry };
    }
    case 'error': {
      const { reason, metadata } = fromStatus(decided.value);
      return isClaimFault(reason) ? { orderId, kind: 'FAULT', reason, metadata } : undefined;
    }
    default:
      return undefined;
  }
}

function fromOrderMessage(order: Order): LedgerOrder | undefined {
  const state = STATES[order.state];
  if (!state || !order.createdAt) return undefined;
  const known: LedgerOrder = {
    orderId: order.orderId,
    storeId: order.storeId,
    userId: order.userId,
    requestId: order.requestId,
    state,
    version: order.version,
    lines: order.lines,
    amountMinor: order.amountMinor,
    currency: order.currency,
    createdAt: order.createdAt,
    channel: order.channel === Channel.CHANNEL_STAFF ? 'STAFF' : 'APP',
  };
  const refusal = order.refusal && fromRefusalMessage(order.refusal);
  if (order.expiresAt) known.expiresAt = order.expiresAt;
  if (refusal) known.refusal = refusal;
  if (order.code !== '') known.code = order.code;
  if (order.fulfilledAt) known.fulfilledAt = order.fulfilledAt;
  if (order.entryId !== '') known.entryId = order.entryId;
  if (order.extendedAt) known.extendedAt = order.extendedAt;
  return known;
}

function fromRefusalMessage(message: RefusalMessage): Refusal | undefined {
  const reason = REASONS[message.reason];
  const scope = SCOPES[message.scope];
  if (!reason) return undefined;
  return {
    reason,
    skuId: message.skuId,
    ...(reason === 'NOT_ENOUGH' && { free: message.free }),
    ...(message.nextReleaseAt && { nextReleaseAt: message.nextReleaseAt }),
    ...(message.opensAt && { opensAt: message.opensAt }),
    ...(message.closedAt && { closedAt: message.closedAt }),
    ...(message.slotPast && { slotPast: true }),
    ...(message.limit > 0 && { limit: message.limit }),
    ...(scope && { scope }),
    ...(message.ownOrderId !== '' && { ownOrderId: message.ownOrderId }),
  };
}

const STATE_MESSAGES: Readonly<Record<LedgerOrder['state'], OrderState>> = {
  HELD: OrderState.ORDER_STATE_HELD,
  CONFIRMED: OrderState.ORDER_STATE_CONFIRMED,
  FULFILLED: OrderState.ORDER_STATE_FULFILLED,
  CANCELLED: OrderState.ORDER_STATE_CANCELLED,
  EXPIRED: OrderState.ORDER_STATE_EXPIRED,
  REFUSED: OrderState.ORDER_STATE_REFUSED,
};

const STATES: Readonly<Partial<Record<OrderState, LedgerOrder['state']>>> = {
  [OrderState.ORDER_STATE_HELD]: 'HELD',
  [OrderState.ORDER_STATE_CONFIRMED]: 'CONFIRMED',
  [OrderState.ORDER_STATE_FULFILLED]: 'FULFILLED',
  [OrderState.ORDER_STATE_CANCELLED]: 'CANCELLED',
  [OrderState.ORDER_STATE_EXPIRED]: 'EXPIRED',
  [OrderState.ORDER_STATE_REFUSED]: 'REFUSED',
};

const REASONS: Readonly<Partial<Record<RefusalReason, Refusal['reason']>>> = {
  [RefusalReason.REFUSAL_REASON_NOT_ENOUGH]: 'NOT_ENOUGH',
  [RefusalReason.REFUSAL_REASON_ALL_HELD]: 'ALL_HELD',
  [RefusalReason.REFUSAL_REASON_SOLD_OUT]: 'SOLD_OUT',
  [RefusalReason.REFUSAL_REASON_NOT_ON_SALE]: 'NOT_ON_SALE',
  [RefusalReason.REFUSAL_REASON_LIMIT_REACHED]: 'LIMIT_REACHED',
  [RefusalReason.REFUSAL_REASON_MAX_PER_ORDER]: 'MAX_PER_ORDER',
  [RefusalReason.REFUSAL_REASON_PAUSED]: 'PAUSED',
  [RefusalReason.REFUSAL_REASON_UNPROCESSABLE]: 'UNPROCESSABLE',
  [RefusalReason.REFUSAL_REASON_WAITLIST_FULL]: 'WAITLIST_FULL',
  [RefusalReason.REFUSAL_REASON_PRICE_DIFFERS]: 'PRICE_DIFFERS',
  [RefusalReason.REFUSAL_REASON_SALE_CANCELLED]: 'SALE_CANCELLED',
  [RefusalReason.REFUSAL_REASON_ALREADY_BOOKED]: 'ALREADY_BOOKED',
};

/** Over the sku is what goes without saying. */
const SCOPES: Readonly<Partial<Record<LimitScope, NonNullable<Refusal['scope']>>>> = {
  [LimitScope.LIMIT_SCOPE_STORE]: 'STORE',
  [LimitScope.LIMIT_SCOPE_GROUP]: 'GROUP',
  [LimitScope.LIMIT_SCOPE_OPEN_ORDERS]: 'OPEN_ORDERS',
  [LimitScope.LIMIT_SCOPE_UNFULFILLED]: 'UNFULFILLED',
};

function isClaimFault(reason: string): reason is ClaimFaultReason {
  return ['REQUEST_ID_REUSED', 'SKU_NOT_FOUND', 'CURRENCY_MIXED', 'TOO_LATE'].includes(reason);
}
