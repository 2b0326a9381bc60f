import { functionCall, type LedgerPool } from './ledger-pool.js';

const audit = functionCall('audit', 1);
const MAX_VIOLATIONS = 1_000;

/** Something that must hold and does not. */
export interface AuditViolation {
  /** Which rule, in capitals; the function audit lists them. */
  violation: string;
  skuId?: string;
  orderId?: string;
  /** The figures that do not fit. */
  detail: unknown;
}

interface ViolationRow {
  violation: string;
  sku_id: string | null;
  order_id: string | null;
  detail: unknown;
}

/** What the audit found. */
export interface AuditReport {
  /** At most 1000. */
  violations: AuditViolation[];
  /** Whether there are more. */
  truncated: boolean;
}

/** The call by which the ledger is checked. */
export function auditCalls(pool: LedgerPool) {
  return {
    /**
     * Recomputes every term of the stock from orders, lines, movements and attendees, from one snapshot, also while
     * orders come in. It reads everything: not for every minute of a large ledger.
     */
    async audit(): Promise<AuditReport> {
      const rows = await pool.query<ViolationRow>(audit, [MAX_VIOLATIONS + 1]);
      const violations = rows.slice(0, MAX_VIOLATIONS).map((row) => ({
        violation: row.violation,
        ...(row.sku_id !== null && { skuId: row.sku_id }),
        ...(row.order_id !== null && { orderId: row.order_id }),
        detail: row.detail,
      }));
      return { violations, truncated: rows.length > MAX_VIOLATIONS };
    },
  };
}
