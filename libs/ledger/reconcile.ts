import { sqlFile } from '#libs/postgres/statement.js';
import { Fault } from '#libs/refusal/fault.js';
import type { AlertToRaise } from './alerts.js';
import { functionCall, type LedgerPool } from './ledger-pool.js';
import { type Finding, type FindingRow, toFinding } from './reconcile-plans.js';
import { type SkuRow, toSku, toSkuStock } from './rows.js';
import type { StockedSku } from './sku-put.js';

const begin = functionCall('reconcile_begin', 0);
const look = functionCall('reconcile_look', 3);
const orphans = functionCall('reconcile_orphans', 3);
const ended = functionCall('reconcile_ended', 2);
const note = functionCall('reconcile_note', 3);
const finish = functionCall('reconcile_finish', 10);
const prove = functionCall('sku_prove', 2);
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

/** What a look ends with. */
export interface LookToKeep {
  requestId: string;
  /** An operator, or `scheduler`. */
  madeBy: string;
  skus: number;
  orders: number;
  /** In order; those that are kept. */
  findings: readonly Finding[];
  /** Of all, also those that are not kept. */
  found: number;
  mended: number;
  /** In their commands {plan} stands for the id of the plan. */
  alerts: readonly AlertToRaise[];
  /** Whether everything was looked at and every finding is kept: open alerts that are not raised anew lost their cause. */
  isAll: boolean;
}

/** A sku with its units as they are kept, and what an audit of it says. */
export interface SkuProof extends StockedSku {
  at: Date;
  /** Orders with a line of the sku by their state. */
  orders: Record<string, number>;
  findings: Finding[];
}

interface LookRow {
  orders: number;
  found: number;
  findings: FindingRow[];
}

/** The calls of looks at whether everything fits together. A look is one process's: see reconcileBegin. */
export function reconcileCalls(pool: LedgerPool) {
  return {
    /** Begins a look and gives its number. Nothing that an earlier one writes from now on is taken. */
    async reconcileBegin(): Promise<number> {
      const [row] = await pool.query<{ reconcile_begin: number }>(begin);
      if (!row) throw new Error('reconcile_begin gave no row');
      return row.reconcile_begin;
    },

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

    /** Notes of some skus that they were looked at. Fault RECONCILE_UNDER_WAY when a newer look has begun. */
    async reconcileNote(fence: number, skus: readonly LookedSku[]): Promise<void> {
      const values = [fence, skus.map(({ skuId }) => skuId), skus.map(({ version }) => version ?? null)];
      const [row] = await pool.query<{ reconcile_note: boolean }>(note, values);
      if (!row?.reconcile_note) throw overtaken();
    },

    /** Keeps what was found and resolves the plan's id. Fault RECONCILE_UNDER_WAY when a newer look has begun. */
    async reconcileFinish(fence: number, kept: LookToKeep): Promise<number> {
      const values = [
        ...[fence, kept.requestId, kept.madeBy, kept.skus, kept.orders, JSON.stringify(kept.findings.map(toRow))],
        ...[kept.found, kept.mended, JSON.stringify(kept.alerts.map(toAlertRow)), kept.isAll],
      ];
      const [row] = await pool.query<{ reconcile_finish: number | null }>(finish, values);
      if (typeof row?.reconcile_finish !== 'number') throw overtaken();
      return row.reconcile_finish;
    },

    /** Recomputes where the units of a sku are, in one snapshot. Fault SKU_NOT_FOUND. */
    async skuProve(skuId: string, atMost: number): Promise<SkuProof> {
      const [row] = await pool.query<{
        at: Date;
        sku_row: SkuRow;
        order_states: Record<string, number>;
        findings: FindingRow[];
      }>(prove, [skuId, atMost]);
      if (!row) throw new Fault('SKU_NOT_FOUND', 'there is no such sku', { metadata: { sku_id: skuId } });
      const { at, sku_row: sku, order_states: orders, findings } = row;
      return { at, sku: toSku(sku), stock: toSkuStock(sku), orders, findings: findings.map(toFinding) };
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

function toRow({ kind, skuId, orderId, detail, remedy, mended }: Finding) {
  return { kind, sku_id: skuId, order_id: orderId, detail, remedy, mended };
}

function toAlertRow({ kind, subject, skuId, facts, command }: AlertToRaise) {
  return { kind, subject, sku_id: skuId, facts, command };
}

function overtaken(): Fault {
  return new Fault('RECONCILE_UNDER_WAY', 'a newer look has begun meanwhile; this one keeps nothing');
}
