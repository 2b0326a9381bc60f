import {
  type PlanReconcileRequest,
  ReconcileServiceDefinition,
} from '#libs/contracts/gen/holdfast/control/v1/reconcile_service.js';
import { isId } from '#libs/ledger/lines.js';
import { Fault, type Violation } from '#libs/refusal/fault.js';
import { actorNameOf, actorOf } from '#libs/rpc/actor.js';
import { implement, type ServiceImplementation } from '#libs/rpc/service.js';
import type { Scope } from '../app/reconcile/look-at-rows.js';
import type { ReconcileLedger } from '../app/reconcile/ports.js';
import { type ProveParts, proveSku } from '../app/reconcile/prove-sku.js';
import type { Reconcile } from '../app/reconcile/reconcile.js';
import { toPlanMessage, toProofMessage } from './reconcile-messages.js';

const MOST_SKUS = 1_000;
const MAX_REQUEST_ID_LENGTH = 255;

export interface ReconcileServiceParts extends Omit<ProveParts, 'ledger'> {
  readonly reconcile: Pick<Reconcile, 'plan' | 'apply'>;
  readonly ledger: Pick<ReconcileLedger, 'planGet' | 'plansList' | 'skuProve'>;
  /** Aborts when the process ends: looks end with it. */
  readonly closing: AbortSignal;
}

/** Looks, plans and proofs, for operators and for the scheduler, which has no name. */
export function reconcileService(parts: ReconcileServiceParts): ServiceImplementation {
  const { reconcile, ledger } = parts;
  const ended = endedBy(parts.closing);
  return implement(ReconcileServiceDefinition, {
    async planReconcile(request, call) {
      refuseMalformed(request);
      const madeBy = actorOf(call)?.userId ?? 'scheduler';
      const { requestId } = request;
      const signal = AbortSignal.any([call.signal, ended]);
      return { plan: toPlanMessage(await reconcile.plan({ scope: scopeOf(request), requestId, madeBy }, signal)) };
    },

    async applyReconcile(request, call) {
      return { plan: toPlanMessage(await reconcile.apply({ ...request, operator: actorNameOf(call) })) };
    },

    async listPlans(page) {
      const { plans, nextPageToken } = await ledger.plansList(page);
      return { plans: plans.map(toPlanMessage), nextPageToken };
    },

    async getPlan({ planId }) {
      return { plan: toPlanMessage(await ledger.planGet(planId)) };
    },

    async proveSku({ skuId }) {
      return toProofMessage(await proveSku(parts, skuId));
    },
  });
}

function scopeOf({ skuIds, endedOnly }: PlanReconcileRequest): Scope {
  if (endedOnly) return 'ENDED';
  return skuIds.length > 0 ? { skuIds: [...new Set(skuIds)] } : 'ALL';
}

function refuseMalformed({ skuIds, endedOnly, requestId }: PlanReconcileRequest): void {
  const violations: Violation[] = skuIds.flatMap((skuId, place) =>
    isId(skuId)
      ? []
      : [{ field: `sku_ids[${place}]`, description: 'must be 1 to 128 printable ASCII characters without spaces' }],
  );
  if (skuIds.length > MOST_SKUS)
    violations.push({ field: 'sku_ids', description: `must be at most ${MOST_SKUS}; none: all` });
  if (endedOnly && skuIds.length > 0) violations.push({ field: 'ended_only', description: 'does not go with sku_ids' });
  if (!isId(requestId, MAX_REQUEST_ID_LENGTH)) {
    const description = `must be 1 to ${MAX_REQUEST_ID_LENGTH} printable ASCII characters without spaces`;
    violations.push({ field: 'request_id', description });
  }
  if (violations.length > 0) throw new Fault('INVALID_REQUEST', 'the look is not well described', { violations });
}

/** Aborts with a reason that callers understand. */
function endedBy(closing: AbortSignal): AbortSignal {
  const ended = new AbortController();
  const end = (): void => ended.abort(new Fault('UNAVAILABLE', 'the process ends'));
  if (closing.aborted) end();
  else closing.addEventListener('abort', end, { once: true });
  return ended.signal;
}
