import type { SetLimitsRequest } from '#libs/contracts/gen/holdfast/inventory/v1/inventory_service.js';
import {
  LimitSource,
  OnBusy as OnBusyMessage,
  type RateLimit as RateLimitMessage,
  type SkuLimits as SkuLimitsMessage,
  type StoreLimits as StoreLimitsMessage,
} from '#libs/contracts/gen/holdfast/inventory/v1/sku.js';
import type { LimitsChange } from '#libs/ledger/limit-violations.js';
import type { SkuLimits, StoreLimits } from '#libs/ledger/limits.js';
import type { OnBusy, RateLimit } from '#libs/ledger/rows.js';

/** A burst that was left out is as large as the rate. */
export function fromRateLimitMessage({ perSecond, burst }: RateLimitMessage): RateLimit {
  return { perSecond, burst: burst || perSecond };
}

/** Unspecified is the default; a word that nobody knows stays one, for the ledger to refuse. */
export function fromOnBusyMessage(onBusy: OnBusyMessage): string {
  if (onBusy === OnBusyMessage.ON_BUSY_FAIL) return 'FAIL';
  return onBusy === OnBusyMessage.ON_BUSY_QUEUE || onBusy === OnBusyMessage.ON_BUSY_UNSPECIFIED
    ? 'QUEUE'
    : String(onBusy);
}

export function toOnBusyMessage(onBusy: OnBusy): OnBusyMessage {
  return onBusy === 'FAIL' ? OnBusyMessage.ON_BUSY_FAIL : OnBusyMessage.ON_BUSY_QUEUE;
}

export function fromSetLimitsRequest(request: SetLimitsRequest): LimitsChange {
  const { storeId, skuId, rateLimit, clearRateLimit, onBusy, requireIssuedRequestId } = request;
  const { groupId, perAttendeeLimit, openOrdersPerUser, unfulfilledPerUser } = request;
  return {
    storeId,
    skuId,
    clearRateLimit,
    ...(rateLimit && { rateLimit: fromRateLimitMessage(rateLimit) }),
    ...(onBusy !== undefined && { onBusy: fromOnBusyMessage(onBusy) }),
    ...(requireIssuedRequestId !== undefined && { requireIssuedRequestId }),
    ...(groupId !== undefined && { groupId }),
    ...(perAttendeeLimit !== undefined && { perAttendeeLimit }),
    ...(openOrdersPerUser !== undefined && { openOrdersPerUser }),
    ...(unfulfilledPerUser !== undefined && { unfulfilledPerUser }),
  };
}

export function toSkuLimitsMessage(limits: SkuLimits): SkuLimitsMessage {
  return {
    storeId: limits.storeId,
    skuId: limits.skuId,
    rateLimit: limits.rateLimit,
    source: LimitSource[`LIMIT_SOURCE_${limits.source}`],
    onBusy: toOnBusyMessage(limits.onBusy),
    requireIssuedRequestId: limits.requireIssuedRequestId,
  };
}

export function toStoreLimitsMessage(limits: StoreLimits): StoreLimitsMessage {
  return {
    storeId: limits.storeId,
    rateLimit: limits.rateLimit,
    requireIssuedRequestId: limits.requireIssuedRequestId,
    perAttendeeLimit: limits.perAttendeeLimit ?? 0,
    openOrdersPerUser: limits.openOrdersPerUser ?? 0,
    unfulfilledPerUser: limits.unfulfilledPerUser ?? 0,
    groups: limits.groups,
  };
}
