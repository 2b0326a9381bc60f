import { type Finding, type Plan, partsOfPlan } from '../../domain/plan.js';
import { factsJson } from '../facts.js';
import { instantJson } from '../time-text.js';

/** A plan as `reconcile … --json` prints it; names as in the contracts. */
export function planJson(plan: Plan): object {
  return {
    plan_id: plan.planId,
    state: plan.state,
    made_at: instantJson(plan.madeAt),
    made_by: plan.madeBy,
    skus: plan.skus,
    orders: plan.orders,
    findings: plan.findings.map(findingJson),
    findings_count: plan.findingsCount,
    mended: plan.mended,
    applied_at: instantJson(plan.appliedAt),
    applied_by: plan.appliedBy,
  };
}

/** What `reconcile apply --json` prints: the plan, and what was done, and what it left, of the findings that are listed. */
export function appliedJson(plan: Plan): object {
  const { repaired, left } = partsOfPlan(plan.findings);
  return { plan: planJson(plan), repaired: repaired.map(findingJson), left: left.map(findingJson) };
}

/** One thing that does not fit. */
export function findingJson({ kind, skuId, orderId, detail, remedy, mended }: Finding): object {
  return { kind, sku_id: skuId, order_id: orderId, detail: factsJson(detail), remedy, mended };
}
