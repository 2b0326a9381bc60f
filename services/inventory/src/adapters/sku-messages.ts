import {
  type Availability,
  AvailabilityState,
  OnBusy,
  type Sku as SkuMessage,
} from '#libs/contracts/gen/holdfast/inventory/v1/sku.js';
import type { Sku, SkuStock } from '#libs/ledger/rows.js';
import type { SkuToPut } from '#libs/ledger/sku-violations.js';
import { saleWindow } from '../domain/terms.js';
import { fromOnBusyMessage, fromRateLimitMessage, toOnBusyMessage } from './limit-messages.js';
import { fromSkuPolicies, toSkuPolicies } from './sku-policies.js';
import { fromWaitlistTerms, toWaitlistTerms } from './waitlist-terms.js';

const DEFAULTS = { perUserLimit: 1, maxPerOrder: 10, holdTtlSeconds: 900 } as const;

/** A sku as an operator sends it; what was left out takes its default. */
export function fromSkuMessage(message: SkuMessage): SkuToPut {
  const { startsAt, onSaleAt, offSaleAt, rateLimit } = message;
  return {
    skuId: message.skuId,
    storeId: message.storeId,
    title: message.title,
    capacity: message.capacity,
    timeZone: message.timeZone,
    perUserLimit: message.perUserLimit || DEFAULTS.perUserLimit,
    maxPerOrder: message.maxPerOrder || DEFAULTS.maxPerOrder,
    holdTtlSeconds: message.holdTtlSeconds || DEFAULTS.holdTtlSeconds,
    paymentRequired: message.paymentRequired,
    priceMinor: message.priceMinor,
    currency: message.currency,
    onBusy: fromOnBusyMessage(message.onBusy ?? OnBusy.ON_BUSY_QUEUE),
    paused: message.paused,
    ...fromSkuPolicies(message),
    ...fromWaitlistTerms(message),
    ...(rateLimit && { rateLimit: fromRateLimitMessage(rateLimit) }),
    ...(message.limitGroup !== '' && { limitGroup: message.limitGroup }),
    ...(startsAt && { startsAt }),
    ...(onSaleAt && { onSaleAt }),
    ...(offSaleAt && { offSaleAt }),
  };
}

export function toSkuMessage(sku: Sku): SkuMessage {
  return {
    skuId: sku.skuId,
    storeId: sku.storeId,
    title: sku.title,
    capacity: sku.capacity,
    overbooked: sku.overbooked,
    startsAt: sku.startsAt,
    timeZone: sku.timeZone,
    onSaleAt: sku.onSaleAt,
    offSaleAt: sku.offSaleAt,
    perUserLimit: sku.perUserLimit,
    maxPerOrder: sku.maxPerOrder,
    holdTtlSeconds: sku.holdTtlSeconds,
    paymentRequired: sku.paymentRequired,
    priceMinor: sku.priceMinor,
    currency: sku.currency,
    rateLimit: sku.rateLimit,
    onBusy: toOnBusyMessage(sku.onBusy),
    paused: sku.paused,
    ...toSkuPolicies(sku),
    ...toWaitlistTerms(sku),
    etag: sku.etag,
    cancelledAt: sku.cancelledAt,
    limitGroup: sku.limitGroup ?? '',
  };
}

/** What a buyer is told about a sku at an instant of the ledger. */
export function toAvailabilityMessage(stock: SkuStock, now: Date): Availability {
  const { fromMs, untilMs } = saleWindow(stock);
  const nowMs = now.getTime();
  // What comes back while a sku is overbooked is not free again, until it is not overbooked any more.
  const allHeld = stock.free === 0 && stock.held + stock.reserved > stock.overbooked;
  return {
    skuId: stock.skuId,
    state: stateOf(stock, allHeld),
    free: stock.free,
    reserved: stock.reserved,
    held: stock.held,
    sold: stock.sold,
    nextReleaseAt: allHeld ? stock.nextReleaseAt : undefined,
    // A pause does not move the opening: whoever asks before it is told when, and from then on that it is not on sale.
    opensInMs: Math.max(0, (stock.onSaleAt?.getTime() ?? 0) - nowMs),
    onSale: nowMs >= fromMs && nowMs < untilMs,
    cancelledAt: stock.cancelledAt,
  };
}

function stateOf(stock: SkuStock, allHeld: boolean): AvailabilityState {
  if (stock.free > 0) return AvailabilityState.AVAILABILITY_STATE_AVAILABLE;
  return allHeld ? AvailabilityState.AVAILABILITY_STATE_ALL_HELD : AvailabilityState.AVAILABILITY_STATE_SOLD_OUT;
}
