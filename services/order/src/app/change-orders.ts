import type { SalesEnded } from '#libs/ledger/cancelled-sales.js';
import type { Ledger } from '#libs/ledger/ledger.js';
import type { Caller, ExpiryReport } from '#libs/ledger/order-changes.js';
import type { ChangedOrder } from '#libs/ledger/order-life.js';
import type { MoveResult } from '#libs/ledger/order-move.js';
import type { CapturedPayment, Confirmation, FailedPayment } from '#libs/ledger/payments.js';
import type { LedgerOrder } from '#libs/ledger/rows.js';
import { refuseImpossible } from './get-order.js';

export interface ChangePorts {
  readonly ledger: Pick<
    Ledger,
    | 'orderGet'
    | 'orderCancel'
    | 'orderCancelPart'
    | 'orderMove'
    | 'orderFulfil'
    | 'holdExtend'
    | 'paymentConfirm'
    | 'paymentFail'
    | 'paymentsParkedApply'
    | 'ordersExpire'
    | 'cancelledSalesEnd'
  >;
  /** Hears of orders whose state this process changed. */
  readonly changed: (orderIds: readonly string[]) => void;
  /** Hears of skus whose units came back. */
  readonly freed: (skus: ExpiryReport['freedSkus']) => void;
}

/**
 * The verbs that move an order on. Each is one transaction of the ledger, which also writes the event; what is told here
 * after the commit are hints, so nothing is lost if it dies before.
 */
export function changeOrders({ ledger, changed, freed }: ChangePorts) {
  const told = tellChanged({ changed, freed });
  return {
    ...keepState({ ledger, changed, freed, told }),

    async cancelOrder(orderId: string, caller: Caller, reason: string): Promise<LedgerOrder> {
      refuseImpossible(orderId);
      return told(await ledger.orderCancel({ ...caller, orderId, reason }));
    },

    /** Money of an order that nobody knows yet is recorded, too: then there is no order. */
    async confirmPayment(payment: CapturedPayment): Promise<Confirmation> {
      refuseImpossible(payment.orderId);
      const confirmation = await ledger.paymentConfirm(payment);
      changed([payment.orderId]);
      return confirmation;
    },

    async endCancelledSales(batchSize: number): Promise<SalesEnded> {
      const ended = await ledger.cancelledSalesEnd(batchSize);
      if (ended.cancelled > 0) changed([]);
      freed(ended.freedSkus);
      return ended;
    },

    async failPayment(failed: FailedPayment): Promise<LedgerOrder> {
      refuseImpossible(failed.orderId);
      const { order } = await ledger.paymentFail(failed);
      return order;
    },

    async applyParked(batchSize: number): Promise<{ confirmed: number; refunded: number; hasMore: boolean }> {
      const applied = await ledger.paymentsParkedApply(batchSize);
      if (applied.confirmed + applied.refunded > 0) changed([]);
      return applied;
    },

    async expireDue(batchSize: number): Promise<ExpiryReport> {
      const report = await ledger.ordersExpire(batchSize);
      // Whose orders they were, watchers find out by themselves.
      if (report.expired > 0) changed([]);
      freed(report.freedSkus);
      return report;
    },
  };
}

/** Tells of an order that a call changed, and that its units may be free. */
function tellChanged({ changed, freed }: Pick<ChangePorts, 'changed' | 'freed'>) {
  return ({ order, changed: isNew }: ChangedOrder): LedgerOrder => {
    if (isNew) {
      changed([order.orderId]);
      freed(order.lines.map(({ skuId }) => ({ storeId: order.storeId, skuId })));
    }
    return order;
  };
}

interface KeepStatePorts extends Pick<ChangePorts, 'ledger' | 'changed' | 'freed'> {
  readonly told: ReturnType<typeof tellChanged>;
}

/** The verbs that change an order and leave it in its state, or note that it was used. */
function keepState({ ledger, changed, freed, told }: KeepStatePorts) {
  return {
    async cancelOrderLines(part: Parameters<Ledger['orderCancelPart']>[0]): Promise<LedgerOrder> {
      refuseImpossible(part.orderId);
      const { order, changed: isNew } = await ledger.orderCancelPart(part);
      if (isNew) {
        changed([order.orderId]);
        // Not of the order's lines: one that came back whole is not among them any more.
        freed(part.lines.map(({ skuId }) => ({ storeId: order.storeId, skuId })));
      }
      return order;
    },

    /** The sku that the units left is told as freed, too. */
    async moveOrder(move: Parameters<Ledger['orderMove']>[0]): Promise<MoveResult> {
      refuseImpossible(move.orderId);
      const before = await ledger.orderGet(move.orderId, move.userId);
      const moved = await ledger.orderMove(move);
      if (moved.kind === 'MOVED') told({ order: before, changed: true });
      return moved;
    },

    async extendHold(orderId: string, userId: string | undefined): Promise<LedgerOrder> {
      refuseImpossible(orderId);
      const { order, changed: isNew } = await ledger.holdExtend(orderId, userId);
      if (isNew) changed([orderId]);
      return order;
    },

    async fulfilOrder(which: Parameters<Ledger['orderFulfil']>[0], by: string): Promise<ChangedOrder> {
      if ('orderId' in which) refuseImpossible(which.orderId);
      const fulfilled = await ledger.orderFulfil(which, by);
      if (fulfilled.changed) changed([fulfilled.order.orderId]);
      return fulfilled;
    },
  };
}
