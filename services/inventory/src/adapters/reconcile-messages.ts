import {
  type Finding as FindingMessage,
  type GateState,
  type Plan as PlanMessage,
  PlanState,
  type ProveSkuResponse,
} from '#libs/contracts/gen/holdfast/control/v1/reconcile_service.js';
import type { Finding, Plan } from '#libs/ledger/reconcile-plans.js';
import type { Proof } from '../app/reconcile/prove-sku.js';
import type { GateReading } from '../domain/gate-judgement.js';
import { toSkuMessage } from './sku-messages.js';

/** A plan as operators see it. */
export function toPlanMessage(plan: Plan): PlanMessage {
  return {
    planId: plan.planId,
    state: PlanState[`PLAN_STATE_${plan.state}`],
    madeAt: plan.madeAt,
    madeBy: plan.madeBy,
    skus: plan.skus,
    orders: plan.orders,
    findings: (plan.findings ?? []).map(toFindingMessage),
    findingsCount: plan.found,
    mended: plan.mended,
    appliedAt: plan.applied?.at,
    appliedBy: plan.applied?.by ?? '',
  };
}

/** A proof as operators see it. */
export function toProofMessage(proof: Proof): ProveSkuResponse {
  const { sku, kept, ofOrders, ofMovements, orders, conserved, oversold, findings, gate, streamMessages, at } = proof;
  return {
    sku: toSkuMessage(sku),
    kept,
    ofOrders,
    ofMovements,
    orders,
    conserved,
    oversold,
    findings: findings.map(toFindingMessage),
    gate: gate && toGateMessage(gate),
    streamMessages: streamMessages ?? -1,
    at,
  };
}

function toFindingMessage({ kind, skuId, orderId, detail, remedy, mended }: Finding): FindingMessage {
  return { kind, skuId: skuId ?? '', orderId: orderId ?? '', detail: JSON.stringify(detail), remedy, mended };
}

function toGateMessage(gate: GateReading): GateState {
  if (gate.state !== 'LOADED') {
    const nothing = { letIn: 0, undecided: 0, undecidedOfClaims: 0, claims: 0, oldestClaimMs: 0, version: 0 };
    return { loaded: false, ...nothing };
  }
  const { letIn, undecided, undecidedOfClaims, claims, oldestClaimMs, version } = gate;
  return { loaded: true, letIn, undecided, undecidedOfClaims: undecidedOfClaims ?? -1, claims, oldestClaimMs, version };
}
