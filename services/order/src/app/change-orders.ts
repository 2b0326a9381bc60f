import type { SalesEnded } from '#libs/ledger/cancelled-sales.js';
import type { Ledger } from '#libs/ledger/ledger.js';
import type { ExpiryReport } from '#libs/ledger/order-changes.js';
import type { CapturedPayment, Confirmation, FailedPayment } from '#libs/ledger/payments.js';
import type { LedgerOrder } from '#libs/ledger/rows.js';
import { refuseImpossible } from './get-order.js';

export interface ChangePorts {
  readonly ledger: Pick<
    Ledger,
    'orderCancel' | 'paymentConfirm' | 'paymentFail' | 'paymentsParkedApply' | 'ordersExpire' | 'cancelledSalesEnd'
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
  return {
    async cancelOrder(orderId: string, userId: string | undefined, reason: string): Promise<LedgerOrder> {
      refuseImpossible(orderId);
      const cancellation = await ledger.orderCancel({ orderId, ...(userId !== undefined && { userId }), reason });
      const { order } = cancellation;
      if (cancellation.changed) {
        changed([orderId]);
        freed(order.lines.map(({ skuId }) => ({ storeId: order.storeId, skuId })));
      }
      return order;
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
