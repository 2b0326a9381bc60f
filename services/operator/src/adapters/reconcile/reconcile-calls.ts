import { randomUUID } from 'node:crypto';
import {
  type Plan as PlanMessage,
  PlanState,
  type ProveSkuResponse,
  ReconcileServiceDefinition,
} from '#libs/contracts/gen/holdfast/control/v1/reconcile_service.js';
import { Fault } from '#libs/refusal/fault.js';
import type { Reconcile } from '../../app/ports.js';
import type { Plan } from '../../domain/plan.js';
import type { Proof } from '../../domain/proof.js';
import { enumWord } from '../enum-word.js';
import type { Wire } from '../wire.js';

/** Plans and proofs as the gateway tells them. */
export function reconcileCalls({ connect, options, patient }: Wire): Reconcile {
  const reconcile = connect(ReconcileServiceDefinition);
  return {
    async makePlan(skuIds) {
      const request = { skuIds: [...skuIds], endedOnly: false, requestId: randomUUID() };
      return toPlan((await reconcile.planReconcile(request, patient)).plan);
    },
    async applyPlan(planId, reason) {
      return toPlan((await reconcile.applyReconcile({ planId, reason, requestId: randomUUID() }, patient)).plan);
    },
    async listPlans(pageSize, pageToken) {
      const { plans, nextPageToken } = await reconcile.listPlans({ pageSize, pageToken }, options);
      return { items: plans.map(toPlan), nextPageToken };
    },
    async getPlan(planId) {
      return toPlan((await reconcile.getPlan({ planId }, options)).plan);
    },
    async proveSku(skuId) {
      return toProof(await reconcile.proveSku({ skuId }, patient), skuId);
    },
  };
}

function toPlan(message: PlanMessage | undefined): Plan {
  if (message === undefined) throw new Fault('INTERNAL', 'the gateway answered without the plan');
  return { ...message, state: enumWord(PlanState[message.state], 'PLAN_STATE_').toLowerCase() };
}

function toProof({ sku, ...proof }: ProveSkuResponse, skuId: string): Proof {
  return { ...proof, skuId, title: sku?.title ?? '' };
}
