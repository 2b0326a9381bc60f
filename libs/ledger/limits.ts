import { Fault, type Violation } from '#libs/refusal/fault.js';
import { functionCall, type LedgerPool } from './ledger-pool.js';
import { keysViolations, type LimitsChange, type LimitsKey, limitsViolations } from './limit-violations.js';
import { isId } from './lines.js';
import { type OrderLimits, type OrderLimitsRow, toOrderLimits } from './order-limits.js';
import { cutPage, type PageQuery, readPage } from './page.js';
import { type OnBusy, type RateLimit, toRateLimit } from './rows.js';

const read = functionCall('limits_read', 2);
const list = functionCall('limits_list', 3);
const set = functionCall('limits_set', 11);
const readOrderLimits = functionCall('order_limits_read', 1);

/** What holds at the edge for requests for one sku. */
export interface SkuLimits {
  storeId: string;
  skuId: string;
  /** Absent: nobody set one. */
  rateLimit?: RateLimit;
  /** Who set it. */
  source: 'SKU' | 'STORE' | 'CONFIGURED';
  onBusy: OnBusy;
  /** The store's: only request ids that were issued are taken. */
  requireIssuedRequestId: boolean;
}

/** What a store sets for all its skus. */
export interface StoreLimits extends OrderLimits {
  storeId: string;
  rateLimit?: RateLimit;
  requireIssuedRequestId: boolean;
}

/** What holds after a change: of the sku, or of the store, whichever it was about. */
export type LimitsSet = { changed: boolean } & ({ sku: SkuLimits } | { store: StoreLimits });

interface LimitsRow {
  store_id: string;
  sku_id: string;
  rate_per_second: number | null;
  rate_burst: number | null;
  source: SkuLimits['source'];
  on_busy: OnBusy;
  require_issued_request_id: boolean;
}

/** The calls about how many requests the edge lets through, and what one person may have. */
export function limitCalls(pool: LedgerPool) {
  return {
    /**
     * What holds for 1 to 1000 skus, in the order asked. An unknown sku, and one of another store, has what the store
     * sets. Fault INVALID_REQUEST when a key is not well formed.
     */
    async limitsRead(keys: readonly LimitsKey[]): Promise<SkuLimits[]> {
      refuse(keysViolations(keys));
      const values = [keys.map((key) => key.storeId), keys.map((key) => key.skuId)];
      return (await pool.query<LimitsRow>(read, values)).map(toSkuLimits);
    },

    /**
     * What a store sets, and what holds for its skus in the order of their ids. Fault INVALID_REQUEST for a page that
     * cannot be.
     */
    async limitsList(
      storeId: string,
      page: PageQuery,
    ): Promise<{ store: StoreLimits; skus: SkuLimits[]; nextPageToken: string }> {
      const name = `limits_list ${storeId}`;
      const { size, after } = readPage(name, page, [isId]);
      const [store, ...found] = await pool.query<LimitsRow>(list, [storeId, after?.[0] ?? '', size + 1]);
      if (!store) throw new Error('limits_list gave no row');
      const { rows, nextPageToken } = cutPage(name, found, { size, keyOf: (row) => [row.sku_id] });
      return { store: await storeLimits(pool, store), skus: rows.map(toSkuLimits), nextPageToken };
    },

    /**
     * Sets what a sku or a store has of its own; what is absent stays. The same again changes nothing, and compares
     * nothing with what was read: the last one to set holds. A sku's etag rises with each change.
     *
     * Errors: Fault INVALID_REQUEST with every violation; SKU_NOT_FOUND, also for a sku of another store; BUSY and
     * UNAVAILABLE as every call.
     */
    async limitsSet(change: LimitsChange): Promise<LimitsSet> {
      refuse(limitsViolations(change));
      const { storeId, skuId, rateLimit } = change;
      const [row] = await pool.query<LimitsRow & { changed: boolean }>(set, [
        storeId,
        skuId,
        rateLimit?.perSecond ?? null,
        rateLimit?.burst ?? null,
        change.clearRateLimit,
        change.onBusy ?? null,
        change.requireIssuedRequestId ?? null,
        change.groupId ?? null,
        change.perAttendeeLimit ?? null,
        change.openOrdersPerUser ?? null,
        change.unfulfilledPerUser ?? null,
      ]);
      if (!row) throw new Fault('SKU_NOT_FOUND', 'there is no such sku', { metadata: { sku_id: skuId } });
      const { changed } = row;
      return skuId === '' ? { changed, store: await storeLimits(pool, row) } : { changed, sku: toSkuLimits(row) };
    },
  };
}

function refuse(violations: Violation[]): void {
  if (violations.length > 0) throw new Fault('INVALID_REQUEST', 'the limits are not well formed', { violations });
}

function toSkuLimits(row: LimitsRow): SkuLimits {
  return {
    storeId: row.store_id,
    skuId: row.sku_id,
    ...toRateLimit(row),
    source: row.source,
    onBusy: row.on_busy,
    requireIssuedRequestId: row.require_issued_request_id,
  };
}

function toStoreLimits(row: LimitsRow): Omit<StoreLimits, keyof OrderLimits> {
  return {
    storeId: row.store_id,
    ...toRateLimit(row),
    requireIssuedRequestId: row.require_issued_request_id,
  };
}

async function storeLimits(pool: LedgerPool, row: LimitsRow): Promise<StoreLimits> {
  const [orderLimits] = await pool.query<OrderLimitsRow>(readOrderLimits, [row.store_id]);
  if (!orderLimits) throw new Error('order_limits_read gave no row');
  return { ...toStoreLimits(row), ...toOrderLimits(orderLimits) };
}
