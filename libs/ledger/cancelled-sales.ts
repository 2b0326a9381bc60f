import { retryConflicts } from '#libs/postgres/errors.js';
import { functionCall, type LedgerPool } from './ledger-pool.js';
import { type ChangedSku, changeSku, type SkuChange } from './sku-control.js';

const ATTEMPTS = 5;
const cancel = functionCall('sku_cancel', 5);
const end = functionCall('cancelled_sales_end', 1);

/** What a run over the orders of cancelled sales did. */
export interface SalesEnded {
  /** Orders that it cancelled. */
  cancelled: number;
  /** Skus whose units came back. */
  freedSkus: { storeId: string; skuId: string }[];
  /** Whether any order may be left. */
  more: boolean;
}

/** The calls by which a sale ends for good. */
export function cancelledSaleCalls(pool: LedgerPool) {
  return {
    /**
     * Cancels the sale of a sku for good. From the moment this resolves nobody is given a unit of it; its orders are
     * given back by cancelledSalesEnd. The same request again changes nothing and is told how the sku is now.
     *
     * Errors: as skuPause.
     */
    skuCancel: (asked: SkuChange): Promise<ChangedSku> =>
      changeSku(pool, cancel, asked, [asked.reason, asked.operator, asked.requestId]),

    /**
     * Cancels orders of a sale that was cancelled, at most `batchSize` (1..500) in one transaction: their units come
     * back once, what was paid is due for refund. Safe from any number of callers at once: each takes another sale.
     */
    async cancelledSalesEnd(batchSize: number): Promise<SalesEnded> {
      interface EndedRow {
        cancelled: number;
        freed: { store_id: string; sku_id: string }[];
        more: boolean;
      }
      const [row] = await retryConflicts(() => pool.query<EndedRow>(end, [batchSize]), ATTEMPTS);
      if (!row) throw new Error('cancelled_sales_end gave no row');
      const { cancelled, freed, more } = row;
      return {
        cancelled,
        freedSkus: freed.map(({ store_id, sku_id }) => ({ storeId: store_id, skuId: sku_id })),
        more,
      };
    },
  };
}
