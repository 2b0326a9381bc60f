import type { Decision as DecisionMessage } from '#libs/contracts/gen/holdfast/event/v1/decision.js';
import {
  type Order,
  OrderState,
  type Refusal as RefusalMessage,
  RefusalReason,
} from '#libs/contracts/gen/holdfast/order/v1/order.js';
import type { Decision } from '#libs/ledger/decision.js';
import type { LedgerOrder } from '#libs/ledger/rows.js';
import { Fault } from '#libs/refusal/fault.js';
import type { Refusal } from '#libs/refusal/refusal.js';
import { toStatus } from '#libs/rpc/status.js';

export function toOrderMessage(order: LedgerOrder): Order {
  return {
    orderId: order.orderId,
    storeId: order.storeId,
    userId: order.userId,
    requestId: order.requestId,
    state: OrderState[`ORDER_STATE_${order.state}`],
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
  };
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
  };
}

export function toDecisionMessage(decision: Decision): DecisionMessage {
  const { orderId } = decision;
  if (decision.kind === 'ORDER') {
    return { orderId, decided: { $case: 'order', value: toOrderMessage(decision.order) } };
  }
  if (decision.kind === 'REFUSED') {
    return { orderId, decided: { $case: 'refusal', value: toRefusalMessage(decision.refusal) } };
  }
  const fault = new Fault(decision.reason, 'the order was not taken', { metadata: decision.metadata });
  return { orderId, decided: { $case: 'error', value: toStatus(fault) } };
}
