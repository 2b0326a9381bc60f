import type { SalesEnded } from '#libs/ledger/cancelled-sales.js';
import type { Ledger } from '#libs/ledger/ledger.js';
import type { ExpiryReport } from '#libs/ledger/order-changes.js';
import { notFound } from '#libs/ledger/orders.js';
import type { PaymentState } from '#libs/ledger/payment-rows.js';
import type { CapturedPayment } from '#libs/ledger/payments.js';
import type { LedgerOrder } from '#libs/ledger/rows.js';
import { refuseImpossible } from './get-order.js';

export interface ChangePorts {
  readonly ledger: Pick<Ledger, 'orderCancel' | 'paymentConfirm' | 'ordersExpire' | 'cancelledSalesEnd'>;
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

    async confirmPayment(payment: CapturedPayment): Promise<{ order: LedgerOrder; paymentState: PaymentState }> {
      refuseImpossible(payment.orderId);
      const { order, payment: recorded } = await ledger.paymentConfirm(payment);
      // The money is kept for an order to come; its provider tells again until there is one.
      if (!order) throw notFound(payment.orderId);
      changed([payment.orderId]);
      return { order, paymentState: recorded.state };
    },

    async endCancelledSales(batchSize: number): Promise<SalesEnded> {
      const ended = await ledger.cancelledSalesEnd(batchSize);
      if (ended.cancelled > 0) changed([]);
      freed(ended.freedSkus);
      return ended;
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
