import { type Availability, AvailabilityState, type Sku } from '#libs/contracts/gen/holdfast/inventory/v1/sku.js';

/** A sku as apps read it, with what a buyer is told about its units. */
export function skuJson(sku: Sku, availability: Availability | undefined) {
  return {
    sku_id: sku.skuId,
    store_id: sku.storeId,
    title: sku.title,
    capacity: sku.capacity,
    starts_at: sku.startsAt?.toISOString(),
    time_zone: sku.timeZone || undefined,
    on_sale_at: sku.onSaleAt?.toISOString(),
    off_sale_at: sku.offSaleAt?.toISOString(),
    per_user_limit: sku.perUserLimit,
    max_per_order: sku.maxPerOrder,
    hold_ttl_seconds: sku.holdTtlSeconds,
    payment_required: sku.paymentRequired,
    price_minor: String(sku.priceMinor),
    currency: sku.currency,
    paused: sku.paused,
    cancelled_at: sku.cancelledAt?.toISOString(),
    availability: availability && availabilityJson(availability),
  };
}

/** What a buyer is told about the units of a sku. */
export function availabilityJson(availability: Availability) {
  return {
    state: (AvailabilityState[availability.state] ?? 'AVAILABILITY_STATE_UNKNOWN').slice('AVAILABILITY_STATE_'.length),
    free: availability.free,
    reserved: availability.reserved,
    held: availability.held,
    sold: availability.sold,
    next_release_at: availability.nextReleaseAt?.toISOString(),
    opens_in_ms: String(availability.opensInMs),
    on_sale: availability.onSale,
  };
}
