import { Fault } from '#libs/refusal/fault.js';
import type { AlertToRaise } from './alerts.js';
import { functionCall, type LedgerPool } from './ledger-pool.js';
import type { LookedSku } from './reconcile-looks.js';
import type { Finding } from './reconcile-plans.js';

const begin = functionCall('reconcile_begin', 0);
const note = functionCall('reconcile_note', 3);
const finish = functionCall('reconcile_finish', 10);

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

/** What a look at whether everything fits together writes: only as long as it is the newest one. */
export function reconcileCalls(pool: LedgerPool) {
  return {
    /** Begins a look and gives its number. Nothing that an earlier one writes from now on is taken. */
    async reconcileBegin(): Promise<number> {
      const [row] = await pool.query<{ reconcile_begin: number }>(begin);
      if (!row) throw new Error('reconcile_begin gave no row');
      return row.reconcile_begin;
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
  };
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
