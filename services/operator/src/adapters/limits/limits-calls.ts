import { randomUUID } from 'node:crypto';
import {
  ControlServiceDefinition,
  type ListLimitsResponse,
} from '#libs/contracts/gen/holdfast/control/v1/control_service.js';
import {
  LimitSource as LimitSourceMessage,
  OnBusy as OnBusyMessage,
  type RateLimit,
  type SkuLimits as SkuLimitsMessage,
  type StoreLimits as StoreLimitsMessage,
} from '#libs/contracts/gen/holdfast/inventory/v1/sku.js';
import type { LimitSource, Limits, SkuLimits, StoreLimits } from '../../app/ports.js';
import type { LimitChange, Rate } from '../../domain/limit-change.js';
import type { Wire } from '../wire.js';

const pageSize = 500;

/** The limits as the gateway tells them. */
export function limitsCalls({ connect, options }: Wire): Limits {
  const control = connect(ControlServiceDefinition);
  return {
    async listLimits(storeId, pageToken) {
      const page = await control.listLimits({ storeId, pageSize, pageToken }, options);
      return { ...pageOf(page), store: toStoreLimits(page.store, storeId) };
    },
    async setLimits(change) {
      const { store, sku } = await control.setLimits(toRequest(change), options);
      return {
        ...(store && { store: toStoreLimits(store, change.storeId) }),
        ...(sku && { sku: toSkuLimits(sku) }),
      };
    },
  };
}

function pageOf({ configured, skus, nextPageToken }: ListLimitsResponse) {
  return { ...(configured && { configured: toRate(configured) }), skus: skus.map(toSkuLimits), nextPageToken };
}

function toRequest({ storeId, skuId = '', rate, onBusy, ...same }: LimitChange) {
  return {
    storeId,
    skuId,
    rateLimit: rate === 'clear' ? undefined : rate,
    clearRateLimit: rate === 'clear',
    requestId: randomUUID(),
    ...(onBusy && { onBusy: onBusy === 'fail' ? OnBusyMessage.ON_BUSY_FAIL : OnBusyMessage.ON_BUSY_QUEUE }),
    ...same,
  };
}

function toStoreLimits(message: StoreLimitsMessage | undefined, storeId: string): StoreLimits {
  return {
    storeId,
    requireIssuedRequestId: message?.requireIssuedRequestId ?? false,
    perAttendeeLimit: message?.perAttendeeLimit ?? 0,
    openOrdersPerUser: message?.openOrdersPerUser ?? 0,
    unfulfilledPerUser: message?.unfulfilledPerUser ?? 0,
    groups: message?.groups ?? [],
    ...(message?.rateLimit && { rate: toRate(message.rateLimit) }),
  };
}

function toSkuLimits({
  storeId,
  skuId,
  rateLimit,
  source,
  onBusy,
  requireIssuedRequestId,
}: SkuLimitsMessage): SkuLimits {
  return {
    storeId,
    skuId,
    source: toSource(source),
    onBusy: onBusy === OnBusyMessage.ON_BUSY_FAIL ? 'fail' : 'queue',
    requireIssuedRequestId,
    ...(rateLimit && { rate: toRate(rateLimit) }),
  };
}

function toSource(source: LimitSourceMessage): LimitSource {
  const word = LimitSourceMessage[source]?.replace('LIMIT_SOURCE_', '');
  if (word === 'SKU') return 'sku';
  return word === 'STORE' ? 'store' : 'configured';
}

function toRate({ perSecond, burst }: RateLimit): Rate {
  return { perSecond, burst };
}
