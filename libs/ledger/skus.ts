import { retryConflicts } from '#libs/postgres/errors.js';
import { Fault } from '#libs/refusal/fault.js';
import { functionCall, type LedgerPool } from './ledger-pool.js';
import { type Sku, type SkuRow, type SkuStock, toSku, toSkuStock } from './rows.js';
import { refuseMalformedSku } from './sku-violations.js';

const ATTEMPTS = 5;
const put = functionCall('sku_put', 2);

/** A sku as it shall be. What operators cannot set is left out. */
export type SkuToPut = Omit<Sku, 'overbooked' | 'etag'>;

export interface SkuPutResult {
  outcome: 'CREATED' | 'CHANGED' | 'UNCHANGED';
  sku: Sku;
  stock: SkuStock;
}

type PutOutcome = SkuPutResult['outcome'] | 'ETAG_MISMATCH' | 'CAPACITY_BELOW_TAKEN' | 'SKU_NOT_FOUND' | 'OTHER_STORE';

/** The calls about what is for sale. */
export function skuCalls(pool: LedgerPool) {
  return {
    /**
     * Creates a sku (no etag), or changes it when the etag is the one that was read. Free units change by the
     * difference of the capacities. The same again changes nothing.
     *
     * Errors: Fault INVALID_REQUEST, ETAG_MISMATCH, CAPACITY_BELOW_TAKEN, SKU_NOT_FOUND (an etag of nothing),
     * PERMISSION_DENIED (the id is another store's); BUSY and UNAVAILABLE as every call.
     */
    async skuPut(sku: SkuToPut, etag?: string): Promise<SkuPutResult> {
      refuseMalformedSku(sku, etag);
      const [row] = await retryConflicts(
        () => pool.query<{ outcome: PutOutcome; sku_row: SkuRow | null }>(put, [toParameter(sku), etag ?? null]),
        ATTEMPTS,
      );
      return putResult(sku, row?.outcome ?? 'SKU_NOT_FOUND', row?.sku_row ?? undefined);
    },
  };
}

function putResult(sku: SkuToPut, outcome: PutOutcome, row: SkuRow | undefined): SkuPutResult {
  const metadata = { sku_id: sku.skuId };
  if (outcome === 'OTHER_STORE') throw new Fault('PERMISSION_DENIED', 'the sku belongs to another store', { metadata });
  if (outcome === 'SKU_NOT_FOUND' || !row) throw new Fault('SKU_NOT_FOUND', 'there is no such sku', { metadata });
  if (outcome === 'ETAG_MISMATCH') {
    throw new Fault('ETAG_MISMATCH', 'the sku was changed since it was read', {
      metadata: { ...metadata, etag: String(row.etag) },
    });
  }
  if (outcome === 'CAPACITY_BELOW_TAKEN') {
    const taken = row.reserved + row.held + row.sold;
    throw new Fault('CAPACITY_BELOW_TAKEN', `${taken} units are taken, capacity would be ${sku.capacity}`, {
      metadata: { ...metadata, capacity: String(row.capacity), free: String(row.free), taken: String(taken) },
    });
  }
  return { outcome, sku: toSku(row), stock: toSkuStock(row) };
}

/** The columns of the table skus, and capacity. */
function toParameter(sku: SkuToPut): string {
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
    rate_per_second: sku.ratePerSecond,
    rate_burst: sku.rateBurst,
    paused: sku.paused,
  });
}
