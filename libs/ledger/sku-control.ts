import { retryConflicts } from '#libs/postgres/errors.js';
import { type Statement, sqlFile } from '#libs/postgres/statement.js';
import { Fault, type Violation } from '#libs/refusal/fault.js';
import { changeViolations } from './control-violations.js';
import { functionCall, type LedgerPool } from './ledger-pool.js';
import { isId } from './lines.js';
import { cutPage, type PageQuery, readPage } from './page.js';
import { isInstant, type SkuRow, toDate } from './rows.js';
import { capacityBelowTaken, type StockedSku, skuNotFound, toStockedSku } from './sku-put.js';

const ATTEMPTS = 5;
const MAX_CAPACITY = 1_000_000_000;
const DEFAULT_HOURS = 24;
const MAX_HOURS = 8_760;
const idRule = 'must be 1 to 128 printable ASCII characters without spaces';
const pause = functionCall('sku_pause', 6);
const setCapacity = functionCall('capacity_set', 7);
const releases = sqlFile(new URL('./sql/releases_list.sql', import.meta.url));

/** What every change of skus by an operator is kept with. */
export interface ControlledBy {
  /** The operator's name. */
  operator: string;
  /** 1..500 characters, none of them a control character. */
  reason: string;
  /** The same request again has no second effect. */
  requestId: string;
}

/** A change of one sku by an operator. */
export interface SkuChange extends ControlledBy {
  storeId: string;
  skuId: string;
}

/** A sku after a change; `changed` says whether this call made it. */
export interface ChangedSku extends StockedSku {
  changed: boolean;
}

/** A sale that opens soon, or did within the last hour. */
export interface Release extends StockedSku {
  /** What the switches say of its stock path; AUTO: none says anything. */
  stockPath: 'AUTO' | 'REDIS' | 'POSTGRES';
}

interface ChangeRow {
  outcome: 'CHANGED' | 'UNCHANGED' | 'CAPACITY_BELOW_TAKEN' | 'KNOWN' | 'REQUEST_ID_REUSED';
  sku_row: SkuRow;
}

/** The calls by which operators act on skus. */
export function skuControlCalls(pool: LedgerPool) {
  return {
    /**
     * Stops the sale of a sku, or lets it go on. From the moment this resolves nobody is given a unit of a paused one;
     * holds and orders stay. The same request again changes nothing and is told how the sku is now.
     *
     * Errors: Fault INVALID_REQUEST with every violation; SKU_NOT_FOUND, also for a sku of another store;
     * REQUEST_ID_REUSED; BUSY and UNAVAILABLE as every call.
     */
    skuPause(asked: SkuChange & { paused: boolean }): Promise<ChangedSku> {
      return changeSku(pool, pause, asked, [asked.paused, asked.reason, asked.operator, asked.requestId]);
    },

    /**
     * Says how many units of a sku there are (0..1,000,000,000), whatever there were. Below what is reserved, held and
     * sold only by force: the sku is overbooked by the difference then, and units that come back shrink that first.
     *
     * Errors: as skuPause; Fault CAPACITY_BELOW_TAKEN with capacity (as it is), reserved, held, sold and their sum taken.
     */
    async capacitySet(asked: SkuChange & { capacity: number; force: boolean }): Promise<ChangedSku> {
      const { capacity, force } = asked;
      const holds = Number.isInteger(capacity) && capacity >= 0 && capacity <= MAX_CAPACITY;
      const violation = { field: 'capacity', description: `must be a whole number, 0 to ${MAX_CAPACITY}` };
      refuse([...skuChangeViolations(asked), ...(holds ? [] : [violation])]);
      const row = await change(pool, setCapacity, asked, [
        capacity,
        force,
        asked.reason,
        asked.operator,
        asked.requestId,
      ]);
      if (row.outcome === 'CAPACITY_BELOW_TAKEN') throw capacityBelowTaken(row.sku_row, capacity);
      return changedSku(row);
    },

    /**
     * Skus in the order in which their sales open: those that do so within so many hours (1..8760; 0: 24), and those that
     * did within the last hour and are not over. Of all stores when none is named. Fault INVALID_REQUEST for what cannot be.
     */
    async releasesList(
      { storeId, withinHours }: { storeId: string; withinHours: number },
      page: PageQuery,
    ): Promise<{ releases: Release[]; nextPageToken: string }> {
      refuse(releasesViolations(storeId, withinHours));
      const hours = withinHours || DEFAULT_HOURS;
      const name = `releases_list ${storeId} ${hours}`;
      const { size, after } = readPage(name, page, [isInstant, isId]);
      const values = [storeId, hours, after?.[0] ?? null, after?.[1] ?? null, size + 1];
      const found = await pool.query<SkuRow & { stock_path: Release['stockPath'] }>(releases, values);
      const keyOf = (row: SkuRow): string[] => [toDate(row.on_sale_at ?? '').toISOString(), row.sku_id];
      const { rows, nextPageToken } = cutPage(name, found, { size, keyOf });
      return { releases: rows.map((row) => ({ ...toStockedSku(row), stockPath: row.stock_path })), nextPageToken };
    },
  };
}

/** Changes a sku by a function of the ledger, which takes its store, itself and `values`. */
export async function changeSku(
  pool: LedgerPool,
  statement: Statement,
  asked: SkuChange,
  values: unknown[],
): Promise<ChangedSku> {
  refuse(skuChangeViolations(asked));
  return changedSku(await change(pool, statement, asked, values));
}

async function change(
  pool: LedgerPool,
  statement: Statement,
  { storeId, skuId }: SkuChange,
  values: unknown[],
): Promise<ChangeRow> {
  const [row] = await retryConflicts(() => pool.query<ChangeRow>(statement, [storeId, skuId, ...values]), ATTEMPTS);
  if (!row) throw skuNotFound(skuId);
  if (row.outcome === 'REQUEST_ID_REUSED')
    throw new Fault('REQUEST_ID_REUSED', 'the request id was used for another change');
  return row;
}

function changedSku({ outcome, sku_row: row }: ChangeRow): ChangedSku {
  return { changed: outcome === 'CHANGED', ...toStockedSku(row) };
}

function skuChangeViolations(change: SkuChange): Violation[] {
  const { storeId, skuId } = change;
  return [
    ...(isId(storeId) ? [] : [{ field: 'store_id', description: idRule }]),
    ...(isId(skuId) ? [] : [{ field: 'sku_id', description: idRule }]),
    ...changeViolations(change),
  ];
}

function releasesViolations(storeId: string, withinHours: number): Violation[] {
  const holds = Number.isInteger(withinHours) && withinHours >= 0 && withinHours <= MAX_HOURS;
  return [
    ...(storeId === '' || isId(storeId)
      ? []
      : [{ field: 'store_id', description: `${idRule}, or empty for all stores` }]),
    ...(holds ? [] : [{ field: 'within_hours', description: `must be a whole number, 0 to ${MAX_HOURS}` }]),
  ];
}

function refuse(violations: Violation[]): void {
  if (violations.length > 0) throw new Fault('INVALID_REQUEST', 'the change is not well formed', { violations });
}
