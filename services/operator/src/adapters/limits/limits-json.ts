import type { NotApplied } from '../../app/apply-limits.js';
import type { LimitsSet, SkuLimits, StoreLimits } from '../../app/ports.js';
import type { LimitsChanged } from '../../app/set-limits.js';
import type { LimitsShown } from '../../app/show-limits.js';
import type { Rate } from '../../domain/limit-change.js';

/** As `limits show --json` prints it; names as in the contracts. */
export function limitsJson({ configured, store, skus }: LimitsShown): object {
  return { configured: rateJson(configured), store: storeJson(store), skus: skus.map(skuJson) };
}

/** As `limits set --json` prints it: the one of the two that was set, and what is configured. */
export function changedJson({ configured, ...set }: LimitsChanged): object {
  return { configured: rateJson(configured), ...setJson(set) };
}

/** As `limits apply --json` prints it. */
export function appliedJson(applied: readonly LimitsSet[], failed: readonly NotApplied[]): object {
  return {
    applied: applied.map(setJson),
    failed: failed.map(({ change, fault }) => ({
      store_id: change.storeId,
      sku_id: change.skuId ?? null,
      reason: fault.reason,
      message: fault.message,
    })),
  };
}

function setJson({ store, sku }: LimitsSet): object {
  return { ...(store && { store: storeJson(store) }), ...(sku && { sku: skuJson(sku) }) };
}

function storeJson({ storeId, rate, requireIssuedRequestId, ...limits }: StoreLimits): object {
  return {
    store_id: storeId,
    rate_limit: rateJson(rate),
    require_issued_request_id: requireIssuedRequestId,
    per_attendee_limit: limits.perAttendeeLimit || null,
    open_orders_per_user: limits.openOrdersPerUser || null,
    unfulfilled_per_user: limits.unfulfilledPerUser || null,
    groups: limits.groups.map(({ groupId, perAttendeeLimit }) => ({
      group_id: groupId,
      per_attendee_limit: perAttendeeLimit,
    })),
  };
}

function skuJson({ storeId, skuId, rate, source, onBusy, requireIssuedRequestId }: SkuLimits): object {
  return {
    store_id: storeId,
    sku_id: skuId,
    rate_limit: rateJson(rate),
    source,
    on_busy: onBusy,
    require_issued_request_id: requireIssuedRequestId,
  };
}

/** Null: none of its own. */
function rateJson(rate: Rate | undefined): object | null {
  return rate === undefined ? null : { per_second: rate.perSecond, burst: rate.burst };
}
