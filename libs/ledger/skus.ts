import { retryConflicts } from '#libs/postgres/errors.js';
import { sqlFile } from '#libs/postgres/statement.js';
import { functionCall, type LedgerPool } from './ledger-pool.js';
import { isId } from './lines.js';
import { cutPage, type PageQuery, readPage } from './page.js';
import { isInstant, type SkuRow, toDate } from './rows.js';
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
const listByStart = sqlFile(new URL('./sql/skus_list_by_start.sql', import.meta.url));
const opening = sqlFile(new URL('./sql/skus_opening.sql', import.meta.url));

/** Which part of a store's skus is asked for. */
export interface SkusQuery extends PageQuery {
  /** Only those that start then or later. */
  startsAfter?: Date | undefined;
  /** Only those that start earlier. */
  startsBefore?: Date | undefined;
}

/** Part of a list of skus. */
export interface SkusPage {
  skus: StockedSku[];
  /** Empty at the end of the list. */
  nextPageToken: string;
}

/** The calls about what is for sale. */
export function skuCalls(pool: LedgerPool) {
  type Time = Pick<SkusQuery, 'startsAfter' | 'startsBefore'>;
  async function skusStarting(storeId: string, query: Time & { page: PageQuery }): Promise<SkusPage> {
    const [from, to] = [query.startsAfter, query.startsBefore].map((instant) => instant?.toISOString());
    const name = `skus_list_by_start ${storeId} ${from} ${to}`;
    const { size, after } = readPage(name, query.page, [isInstant, isId]);
    const place = [after?.[0] ?? null, after?.[1] ?? null];
    const found = await pool.query<SkuRow>(listByStart, [storeId, from ?? null, to ?? null, ...place, size + 1]);
    const keyOf = ({ starts_at: start, sku_id: skuId }: SkuRow) => [start ? toDate(start).toISOString() : '', skuId];
    const { rows, nextPageToken } = cutPage(name, found, { size, keyOf });
    return { skus: rows.map(toStockedSku), nextPageToken };
  }

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

    /**
     * A store's skus in the order of their ids; when a time is given, those that start within it, in the order of their
     * starts. Fault INVALID_REQUEST for a page that cannot be, as one of another time.
     */
    async skusList(storeId: string, { startsAfter, startsBefore, ...page }: SkusQuery): Promise<SkusPage> {
      if (startsAfter || startsBefore) return skusStarting(storeId, { startsAfter, startsBefore, page });
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
