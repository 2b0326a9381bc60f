import { sqlFile } from '#libs/postgres/statement.js';
import { Fault } from '#libs/refusal/fault.js';
import { changeViolations } from './control-violations.js';
import { functionCall, type LedgerPool } from './ledger-pool.js';
import { cutPage, type PageQuery, readPage } from './page.js';

const apply = functionCall('reconcile_apply', 4);
const list = sqlFile(new URL('./sql/plans_list.sql', import.meta.url));
const read = functionCall('plan_read', 2);

/** Something that does not fit. */
export interface Finding {
  /** In capitals; audit_skus, audit_orders and audit_orphans list those of the ledger. */
  kind: string;
  skuId?: string;
  orderId?: string;
  /** The figures. Where they move with sales, `differs` is what stays. */
  detail: Record<string, unknown>;
  /** What applying the plan does about it, in words; empty: nothing. */
  remedy: string;
  /** It was mended when it was found. */
  mended: boolean;
}

/** What one look found. */
export interface Plan {
  planId: number;
  state: 'OPEN' | 'APPLIED' | 'STALE' | 'CLEAN';
  madeAt: Date;
  /** An operator, or `scheduler`. */
  madeBy: string;
  skus: number;
  orders: number;
  /** Of all, also those that were not kept. */
  found: number;
  mended: number;
  applied?: { at: Date; by: string };
  /** Absent in lists. */
  findings?: Finding[];
}

/** Why, by whom and by which request a plan is applied. */
export interface PlanToApply {
  planId: number;
  reason: string;
  operator: string;
  requestId: string;
}

/** A finding as a row, or within JSON. */
export interface FindingRow {
  kind: string;
  sku_id: string | null;
  order_id: string | null;
  detail: Record<string, unknown>;
  remedy: string;
  mended?: boolean;
}

interface PlanRow {
  id: number;
  state: Plan['state'];
  made_at: Date;
  made_by: string;
  skus: number;
  orders: number;
  findings_count: number;
  mended: number;
  applied_at: Date | null;
  applied_by: string | null;
  findings?: FindingRow[];
}

type ApplyOutcome = 'APPLIED' | 'CLEAN' | 'STALE' | 'REUSED' | 'NOT_FOUND';

/** The calls about plans. */
export function planCalls(pool: LedgerPool) {
  async function planGet(planId: number): Promise<Plan> {
    const [row] = await pool.query<PlanRow>(read, [planId, null]);
    if (!row) throw notFound(planId);
    return toPlan(row);
  }

  return {
    /** A plan with its findings. Fault PLAN_NOT_FOUND. */
    planGet,

    /** The plan that a request made, if it made one. */
    async planOfRequest(requestId: string): Promise<Plan | undefined> {
      const [row] = await pool.query<PlanRow>(read, [null, requestId]);
      return row && toPlan(row);
    },

    /** Plans, newest first. Fault INVALID_REQUEST for a page that cannot be. */
    async plansList(page: PageQuery): Promise<{ plans: Plan[]; nextPageToken: string }> {
      const { size, after } = readPage('plans', page, [(id) => /^[1-9][0-9]{0,15}$/.test(id)]);
      const found = await pool.query<PlanRow>(list, [after?.[0] ?? null, size + 1]);
      const { rows, nextPageToken } = cutPage('plans', found, { size, keyOf: ({ id }) => [String(id)] });
      return { plans: rows.map(toPlan), nextPageToken };
    },

    /**
     * Repairs what a plan found, once, if it is found again. Resolves the plan as it is now; of a plan that was applied
     * already, or that has nothing to repair, nothing happens.
     *
     * Errors: Fault INVALID_REQUEST, PLAN_NOT_FOUND, PLAN_STALE (nothing happened), REQUEST_ID_REUSED, BUSY, UNAVAILABLE.
     */
    async planApply({ planId, reason, operator, requestId }: PlanToApply): Promise<Plan> {
      refuseMalformed({ planId, reason, requestId });
      const values = [planId, reason, operator, requestId];
      const [row] = await pool.query<{ reconcile_apply: ApplyOutcome }>(apply, values);
      const metadata = { plan_id: String(planId) };
      switch (row?.reconcile_apply) {
        case 'NOT_FOUND':
          throw notFound(planId);
        case 'STALE':
          throw new Fault('PLAN_STALE', 'the plan is too old, or things are not as it found them: plan anew', {
            metadata,
          });
        case 'REUSED':
          throw new Fault('REQUEST_ID_REUSED', 'the request id was used to apply another plan', { metadata });
        default:
          return planGet(planId);
      }
    },
  };
}

function refuseMalformed({ planId, reason, requestId }: Omit<PlanToApply, 'operator'>): void {
  const violations = changeViolations({ reason, requestId });
  if (!Number.isSafeInteger(planId) || planId < 1)
    violations.unshift({ field: 'plan_id', description: 'must name a plan' });
  if (violations.length > 0) throw new Fault('INVALID_REQUEST', 'the plan cannot be applied like this', { violations });
}

/** A row, from a column or from within JSON, as a finding. */
export function toFinding({ kind, sku_id: skuId, order_id: orderId, detail, remedy, mended }: FindingRow): Finding {
  return {
    kind,
    ...(skuId !== null && { skuId }),
    ...(orderId !== null && { orderId }),
    detail,
    remedy,
    mended: mended ?? false,
  };
}

function toPlan(row: PlanRow): Plan {
  return {
    planId: row.id,
    state: row.state,
    madeAt: row.made_at,
    madeBy: row.made_by,
    skus: row.skus,
    orders: row.orders,
    found: row.findings_count,
    mended: row.mended,
    ...(row.applied_at && row.applied_by !== null && { applied: { at: row.applied_at, by: row.applied_by } }),
    ...(row.findings && { findings: row.findings.map(toFinding) }),
  };
}

function notFound(planId: number): Fault {
  return new Fault('PLAN_NOT_FOUND', 'there is no such plan', { metadata: { plan_id: String(planId) } });
}
