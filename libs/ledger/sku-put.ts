import { Fault } from '#libs/refusal/fault.js';
import { type Sku, type SkuRow, type SkuStock, toSku, toSkuStock } from './rows.js';
import type { SkuToPut } from './sku-violations.js';

/** A sku with where its units are. */
export interface StockedSku {
  sku: Sku;
  stock: SkuStock;
}

/** What putting a sku did. */
export interface SkuPutResult extends StockedSku {
  outcome: 'CREATED' | 'CHANGED' | 'UNCHANGED';
}

/** What sku_put says of a sku, and the sku as it is now; null when there is none, or it is another store's. */
export interface PutRow {
  outcome: SkuPutResult['outcome'] | 'ETAG_MISMATCH' | 'CAPACITY_BELOW_TAKEN' | 'SKU_NOT_FOUND' | 'OTHER_STORE';
  sku_row: SkuRow | null;
}

/** What sku_put did, or the Fault that says why it did nothing. */
export function putResult(sku: SkuToPut, { outcome, sku_row: row }: PutRow): SkuPutResult {
  const metadata = { sku_id: sku.skuId };
  if (outcome === 'OTHER_STORE') throw new Fault('PERMISSION_DENIED', 'the sku belongs to another store', { metadata });
  if (outcome === 'SKU_NOT_FOUND' || !row) throw skuNotFound(sku.skuId);
  if (outcome === 'ETAG_MISMATCH') {
    throw new Fault('ETAG_MISMATCH', 'the sku was changed since it was read', {
      metadata: { ...metadata, etag: String(row.etag) },
    });
  }
  if (outcome === 'CAPACITY_BELOW_TAKEN') throw capacityBelowTaken(row, sku.capacity);
  return { outcome, ...toStockedSku(row) };
}

/** Said of a sku that is not there, and of another store's alike. */
export function skuNotFound(skuId: string): Fault {
  return new Fault('SKU_NOT_FOUND', 'there is no such sku', { metadata: { sku_id: skuId } });
}

/** Says how many units are taken, and where they are, to whoever wanted a smaller capacity. */
export function capacityBelowTaken(row: SkuRow, wanted: number): Fault {
  const { sku_id, capacity, free, reserved, held, sold } = row;
  const taken = held + sold;
  const figures = Object.entries({ capacity, free, reserved, held, sold, taken });
  return new Fault('CAPACITY_BELOW_TAKEN', `${taken} units are taken, capacity would be ${wanted}`, {
    metadata: { sku_id, ...Object.fromEntries(figures.map(([name, units]) => [name, String(units)])) },
  });
}

/** A row of sku_rows as the sku and its stock. */
export function toStockedSku(row: SkuRow): StockedSku {
  return { sku: toSku(row), stock: toSkuStock(row) };
}

/** A sku as sku_put takes it: the columns of the table skus that are said, and capacity. */
export function toParameter(sku: SkuToPut): string {
  return JSON.stringify({
    sku_id: sku.skuId,
    store_id: sku.storeId,
    title: sku.title,
    capacity: sku.capacity,
    starts_at: sku.startsAt ?? null,
    time_zone: sku.timeZone,
    on_sale_at: sku.onSaleAt ?? null,
    off_sale_at: sku.offSaleAt ?? null,
    per_user_limit: sku.perUserLimit,
    max_per_order: sku.maxPerOrder,
    hold_ttl_seconds: sku.holdTtlSeconds,
    payment_required: sku.paymentRequired,
    price_minor: sku.priceMinor,
    currency: sku.currency,
    rate_per_second: sku.rateLimit?.perSecond ?? null,
    rate_burst: sku.rateLimit?.burst ?? null,
    on_busy: sku.onBusy,
    limit_group: sku.limitGroup ?? null,
    late_payment: sku.latePayment,
    free_cancel_seconds: sku.freeCancelSeconds,
    late_cancel: sku.lateCancel,
    paused: sku.paused,
    on_sold_out: sku.onSoldOut,
    waitlist_max: sku.waitlist?.max,
    waitlist_order: sku.waitlist?.order,
    waitlist_skips: sku.waitlist?.skips,
    waitlist_accept: sku.waitlist?.accept,
    offer_ttl_seconds: sku.waitlist?.offerTtlSeconds,
  });
}
