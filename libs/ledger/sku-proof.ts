import { Fault } from '#libs/refusal/fault.js';
import { functionCall, type LedgerPool } from './ledger-pool.js';
import { type Finding, type FindingRow, toFinding } from './reconcile-plans.js';
import { type SkuRow, toSku, toSkuStock } from './rows.js';
import type { StockedSku } from './sku-put.js';

const prove = functionCall('sku_prove', 2);

/** A sku with its units as they are kept, and what an audit of it says. */
export interface SkuProof extends StockedSku {
  at: Date;
  /** Orders with a line of the sku by their state. */
  orders: Record<string, number>;
  findings: Finding[];
}

/** The call that proves. */
export function proofCalls(pool: LedgerPool) {
  return {
    /** Recomputes where the units of a sku are, in one snapshot. Fault SKU_NOT_FOUND. */
    async skuProve(skuId: string, atMost: number): Promise<SkuProof> {
      const [row] = await pool.query<{
        at: Date;
        sku_row: SkuRow;
        order_states: Record<string, number>;
        findings: FindingRow[];
      }>(prove, [skuId, atMost]);
      if (!row) throw new Fault('SKU_NOT_FOUND', 'there is no such sku', { metadata: { sku_id: skuId } });
      const { at, sku_row: sku, order_states: orders, findings } = row;
      return { at, sku: toSku(sku), stock: toSkuStock(sku), orders, findings: findings.map(toFinding) };
    },
  };
}
