import { retryConflicts } from '#libs/postgres/errors.js';
import { sqlFile } from '#libs/postgres/statement.js';
import { Fault } from '#libs/refusal/fault.js';
import { functionCall, type LedgerPool } from './ledger-pool.js';
import { isId } from './lines.js';
import { cutPage, type PageQuery, readPage } from './page.js';
import { type Sku, type SkuRow, type SkuStock, toSku, toSkuStock } from './rows.js';
import { refuseMalformedSku, type SkuToPut } from './sku-violations.js';

const ATTEMPTS = 5;
const put = functionCall('sku_put', 2);
const importAll = functionCall('skus_import', 2);
const get = sqlFile(new URL('./sql/sku_get.sql', import.meta.url));
const list = sqlFile(new URL('./sql/skus_list.sql', import.meta.url));
const opening = sqlFile(new URL('./sql/skus_opening.sql', import.meta.url));

/** What putting a sku did. */
export interface SkuPutResult extends StockedSku {
  outcome: 'CREATED' | 'CHANGED' | 'UNCHANGED';
}

/** A sku with where its units are. */
export interface StockedSku {
  sku: Sku;
  stock: SkuStock;
}

type PutOutcome = SkuPutResult['outcome'] | 'ETAG_MISMATCH' | 'CAPACITY_BELOW_TAKEN' | 'SKU_NOT_FOUND' | 'OTHER_STORE';

interface PutRow {
  outcome: PutOutcome;
  sku_row: SkuRow | null;
}

/** The calls about what is for sale. */
export function skuCalls(pool: LedgerPool) {
  return {
    /**
     * Creates a sku (no etag), or changes it when the etag is the one that was read. Free units change by the
     * difference of the capacities. The same again without an etag changes nothing; with one that is not the latest it
     * is a mismatch, or two who add to what they read would take each other's sum for their own.
     *
     * Errors: Fault INVALID_REQUEST, ETAG_MISMATCH, CAPACITY_BELOW_TAKEN, SKU_NOT_FOUND (an etag of nothing),
     * PERMISSION_DENIED (the id is another store's); BUSY and UNAVAILABLE as every call.
     */
    async skuPut(sku: SkuToPut, etag?: string): Promise<SkuPutResult> {
      refuseMalformedSku(sku, etag);
      const [row] = await retryConflicts(() => pool.query<PutRow>(put, [toParameter(sku), etag ?? null]), ATTEMPTS);
      if (!row) throw new Error('sku_put gave no row');
      return putResult(sku, row);
    },

    /**
     * Puts many skus (a few hundred a call) in one transaction, each on its own: a bad one stops nothing. The results
     * come in the order of the skus; of those that were not put, the Fault that skuPut would throw.
     */
    skusImport: (skus: readonly { sku: SkuToPut; etag?: string }[]) => importSkus(pool, skus),

    /** One sku. Fault SKU_NOT_FOUND. */
    async skuGet(skuId: string): Promise<StockedSku & { now: Date }> {
      const [row] = await pool.query<SkuRow & { now: Date }>(get, [skuId]);
      if (!row) throw new Fault('SKU_NOT_FOUND', 'there is no such sku', { metadata: { sku_id: skuId } });
      return { now: row.now, ...toStockedSku(row) };
    },

    /** A store's skus in the order of their ids. Fault INVALID_REQUEST for a page that cannot be. */
    async skusList(storeId: string, page: PageQuery): Promise<{ skus: StockedSku[]; nextPageToken: string }> {
      const name = `skus_list ${storeId}`;
      const { size, after } = readPage(name, page, [isId]);
      const found = await pool.query<SkuRow>(list, [storeId, after?.[0] ?? '', size + 1]);
      const { rows, nextPageToken } = cutPage(name, found, { size, keyOf: (row) => [row.sku_id] });
      return { skus: rows.map(toStockedSku), nextPageToken };
    },

    /** Skus whose sale opens within so many seconds from now, and the next opening beyond them. */
    async skusOpening(withinSeconds: number): Promise<{ skuIds: string[]; nextOpeningAt?: Date }> {
      const [row] = await pool.query<{ sku_ids: string[]; next_opening_at: Date | null }>(opening, [withinSeconds]);
      if (!row) throw new Error('skus_opening gave no row');
      return { skuIds: row.sku_ids, ...(row.next_opening_at && { nextOpeningAt: row.next_opening_at }) };
    },
  };
}

async function importSkus(
  pool: LedgerPool,
  skus: readonly { sku: SkuToPut; etag?: string }[],
): Promise<(SkuPutResult | Fault)[]> {
  const results: (SkuPutResult | Fault | undefined)[] = skus.map(({ sku, etag }) =>
    faultIn(() => refuseMalformedSku(sku, etag)),
  );
  const places = [...results.keys()].filter((place) => results[place] === undefined);
  const good = places.flatMap((place) => skus[place] ?? []);
  const values = [good.map(({ sku }) => toParameter(sku)), good.map(({ etag }) => etag ?? null)];
  const rows = await retryConflicts(() => pool.query<PutRow & { place: number }>(importAll, values), ATTEMPTS);
  for (const row of rows) {
    const item = good[row.place - 1];
    const place = places[row.place - 1];
    if (!item || place === undefined) throw new RangeError(`no sku ${row.place}`);
    results[place] = faultIn(() => putResult(item.sku, row));
  }
  return results.map((result) => result ?? new Fault('INTERNAL', 'the sku was not put'));
}

function putResult(sku: SkuToPut, { outcome, sku_row: row }: PutRow): SkuPutResult {
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
  return { outcome, ...toStockedSku(row) };
}

function toStockedSku(row: SkuRow): StockedSku {
  return { sku: toSku(row), stock: toSkuStock(row) };
}

/** What `work` gives, or the Fault it throws. */
function faultIn<Result>(work: () => Result): Result | Fault {
  try {
    return work();
  } catch (thrown) {
    if (thrown instanceof Fault) return thrown;
    throw thrown;
  }
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
    rate_per_second: sku.rateLimit?.perSecond ?? null,
    rate_burst: sku.rateLimit?.burst ?? null,
    on_busy: sku.onBusy,
    paused: sku.paused,
  });
}
