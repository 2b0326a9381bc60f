import { sqlFile } from '#libs/postgres/statement.js';
import { functionCall, type LedgerPool } from './ledger-pool.js';
import { type Finding, type FindingRow, toFinding } from './reconcile-plans.js';

const look = functionCall('reconcile_look', 3);
const lookAtOrders = functionCall('reconcile_orders', 2);
const orphans = functionCall('reconcile_orphans', 3);
const ended = functionCall('reconcile_ended', 2);
const skusAfter = sqlFile(new URL('./sql/skus_after.sql', import.meta.url));
const outboxLag = sqlFile(new URL('./sql/outbox_lag.sql', import.meta.url));

const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** What one look at some rows found, from one snapshot. */
export interface RowsLook {
  orders: number;
  /** All findings; those that are listed may be fewer. */
  found: number;
  findings: Finding[];
}

/** A sku that was looked at, with the version of the stock that was seen. */
export interface LookedSku {
  skuId: string;
  /** Absent: it has no stock. */
  version?: number;
}

interface LookRow {
  orders: number;
  found: number;
  findings: FindingRow[];
}

/** The calls that look at whether rows fit together, and write nothing. Each is one snapshot. */
export function lookCalls(pool: LedgerPool) {
  return {
    /** Ids of skus in their order, after one of them; '' begins. */
    async skusAfter(after: string, atMost: number): Promise<string[]> {
      return (await pool.query<{ sku_id: string }>(skusAfter, [after, atMost])).map((row) => row.sku_id);
    },

    /** Skus of the next `stretch` that sold out or went off sale since they were looked at; `last` absent: that was all. */
    async reconcileEnded(after: string, stretch: number): Promise<{ skuIds: string[]; last?: string }> {
      const [row] = await pool.query<{ sku_ids: string[]; last_id: string | null }>(ended, [after, stretch]);
      return { skuIds: row?.sku_ids ?? [], ...(row?.last_id && { last: row.last_id }) };
    },

    /** Looks at some skus, and with `withOrders` at every order with a line of them, in one short snapshot. */
    async reconcileLook(
      skuIds: readonly string[],
      { withOrders, atMost }: { withOrders: boolean; atMost: number },
    ): Promise<RowsLook & { skus: LookedSku[] }> {
      const values = [skuIds, withOrders, atMost];
      const [row] = await pool.query<LookRow & { versions: (number | null)[] }>(look, values);
      if (!row) throw new Error('reconcile_look gave no row');
      const skus = skuIds.map((skuId, place) => {
        const version = row.versions[place];
        return { skuId, ...(typeof version === 'number' && { version }) };
      });
      return { ...toLook(row), skus };
    },

    /** Looks at some orders, known or not, with whatever belongs to them, in one short snapshot. */
    async reconcileOrders(orderIds: readonly string[], atMost: number): Promise<RowsLook> {
      const [row] = await pool.query<LookRow>(lookAtOrders, [orderIds, atMost]);
      if (!row) throw new Error('reconcile_orders gave no row');
      return toLook(row);
    },

    /**
     * Looks at the next stretch of orders, with whatever belongs to orders, in one short snapshot; `last` absent: that was
     * all.
     */
    async reconcileOrphans(
      after: string | undefined,
      { rows, atMost }: { rows: number; atMost: number },
    ): Promise<RowsLook & { last?: string }> {
      const [row] = await pool.query<LookRow & { last_id: string | null }>(orphans, [after ?? FIRST_ID, rows, atMost]);
      if (!row) throw new Error('reconcile_orphans gave no row');
      return { ...toLook(row), ...(row.last_id && { last: row.last_id }) };
    },

    /** How many events are unpublished (counted up to 100,000), and since when the oldest is. */
    async outboxLag(): Promise<{ events: number; oldestAt?: Date }> {
      const [row] = await pool.query<{ events: number; oldest_at: Date | null }>(outboxLag);
      return { events: row?.events ?? 0, ...(row?.oldest_at && { oldestAt: row.oldest_at }) };
    },
  };
}

function toLook({ orders, found, findings }: LookRow): RowsLook {
  return { orders, found, findings: findings.map(toFinding) };
}
