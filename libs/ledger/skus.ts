import { retryConflicts } from '#libs/postgres/errors.js';
import { sqlFile } from '#libs/postgres/statement.js';
import { functionCall, type LedgerPool } from './ledger-pool.js';
import { isId } from './lines.js';
import { cutPage, type PageQuery, readPage } from './page.js';
import type { SkuRow } from './rows.js';
import {
  type PutRow,
  putResult,
  type SkuPutResult,
  type StockedSku,
  skuNotFound,
  toParameter,
  toStockedSku,
} from './sku-put.js';
import { refuseMalformedSku, type SkuToPut } from './sku-violations.js';

const ATTEMPTS = 5;
const put = functionCall('sku_put', 2);
const get = sqlFile(new URL('./sql/sku_get.sql', import.meta.url));
const list = sqlFile(new URL('./sql/skus_list.sql', import.meta.url));
const opening = sqlFile(new URL('./sql/skus_opening.sql', import.meta.url));

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

    /** One sku. Fault SKU_NOT_FOUND. */
    async skuGet(skuId: string): Promise<StockedSku & { now: Date }> {
      const [row] = await pool.query<SkuRow & { now: Date }>(get, [skuId]);
      if (!row) throw skuNotFound(skuId);
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
