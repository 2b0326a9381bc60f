import type { SkuShown } from '../../app/show-sku.js';
import type { Sku, SkuUnits } from '../../domain/sku.js';
import { switchJson } from '../switches/switch-json.js';
import { instantJson } from '../time-text.js';

/** As `sku show --json` prints it; names as in the contracts. */
export function shownJson({ sku, units, switches, deciding }: SkuShown): object {
  return {
    sku: skuJson(sku),
    availability: unitsJson(units),
    stock_path: deciding?.setting.path ?? 'auto',
    switches: switches.map(switchJson),
  };
}

/** A sku's terms. */
export function skuJson(sku: Sku): object {
  return {
    sku_id: sku.skuId,
    store_id: sku.storeId,
    title: sku.title,
    capacity: sku.capacity,
    overbooked: sku.overbooked,
    starts_at: instantJson(sku.startsAt),
    time_zone: sku.timeZone,
    on_sale_at: instantJson(sku.onSaleAt),
    off_sale_at: instantJson(sku.offSaleAt),
    per_user_limit: sku.perUserLimit,
    max_per_order: sku.maxPerOrder,
    hold_ttl_seconds: sku.holdTtlSeconds,
    payment_required: sku.paymentRequired,
    price_minor: sku.priceMinor,
    currency: sku.currency,
    rate_limit: sku.rate === undefined ? null : { per_second: sku.rate.perSecond, burst: sku.rate.burst },
    on_busy: sku.onBusy ?? 'queue',
    on_sold_out: sku.onSoldOut ?? 'refuse',
    waitlist: {
      max_entries: sku.waitlist.maxEntries,
      order: sku.waitlist.order,
      max_skips: sku.waitlist.maxSkips,
      accept: sku.waitlist.accept,
      offer_ttl_seconds: sku.waitlist.offerTtlSeconds,
    },
    waitlist_paused: sku.waitlistPaused,
    late_payment: sku.latePayment ?? 'retake_if_free',
    free_cancel_seconds: typeof sku.freeCancelSeconds === 'number' ? sku.freeCancelSeconds : null,
    late_cancel: sku.lateCancel ?? 'refuse',
    limit_group: sku.limitGroup || null,
    paused: sku.paused,
    cancelled_at: instantJson(sku.cancelledAt),
  };
}

/** Where units are. */
export function unitsJson(units: SkuUnits): object {
  return {
    state: units.state,
    free: units.free,
    reserved: units.reserved,
    held: units.held,
    sold: units.sold,
    next_release_at: instantJson(units.nextReleaseAt),
    opens_in_ms: units.opensInMs,
    on_sale: units.onSale,
  };
}
