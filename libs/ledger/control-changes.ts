import { Fault } from '#libs/refusal/fault.js';
import { type Scope, scopeViolations } from './control-violations.js';
import { functionCall, type LedgerPool } from './ledger-pool.js';
import { cutPage, type PageQuery, readPage } from './page.js';
import { toScope } from './switches.js';

const list = functionCall('control_changes_list', 4);

/** One thing that an operator changed. */
export interface ControlChange {
  /** STOCK_PATH, ORDER_PATH, PAUSE, RESUME, CANCEL, CAPACITY, RECONCILE, DEAD_LETTER, ALERT, IMPORT, WEBHOOK_ADD, … */
  what: string;
  scope: Scope;
  was: string;
  became: string;
  /** Empty: it need not be said. */
  reason: string;
  changedBy: string;
  changedAt: Date;
  /** Of a switch. */
  version?: number;
  expiresAt?: Date;
}

interface ChangeRow {
  id: number;
  what: string;
  scope: string;
  scope_id: string;
  store_id: string | null;
  was: string;
  became: string;
  reason: string;
  changed_by: string;
  changed_at: Date;
  version: number | null;
  expires_at: Date | null;
}

/** The call that lists what operators changed. */
export function controlChangeCalls(pool: LedgerPool) {
  return {
    /** Newest first; of one scope when one is given. Fault INVALID_REQUEST for a scope or a page that cannot be. */
    async controlChangesList(
      scope: Scope | undefined,
      query: PageQuery,
    ): Promise<{ changes: ControlChange[]; nextPageToken: string }> {
      const violations = scope ? scopeViolations(scope, ['ALL', 'STORE', 'SKU']) : [];
      if (violations.length > 0) throw new Fault('INVALID_REQUEST', 'there is no such scope', { violations });
      const id = scope && (scope.skuId || scope.storeId);
      const name = `control_changes ${scope?.kind ?? ''} ${id ?? ''}`;
      const { size, after } = readPage(name, query, [(part) => /^[1-9]\d{0,14}$/.test(part)]);
      const before = Number(after?.[0] ?? Number.MAX_SAFE_INTEGER);
      const found = await pool.query<ChangeRow>(list, [scope?.kind ?? null, id ?? null, before, size + 1]);
      const { rows, nextPageToken } = cutPage(name, found, { size, keyOf: (row) => [String(row.id)] });
      return { changes: rows.map(toChange), nextPageToken };
    },
  };
}

function toChange(row: ChangeRow): ControlChange {
  return {
    what: row.what,
    scope: toScope(row),
    was: row.was,
    became: row.became,
    reason: row.reason,
    changedBy: row.changed_by,
    changedAt: row.changed_at,
    ...(row.version !== null && { version: row.version }),
    ...(row.expires_at && { expiresAt: row.expires_at }),
  };
}
