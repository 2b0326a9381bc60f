import { functionCall, type LedgerPool } from './ledger-pool.js';

const raise = functionCall('alert_raise', 5);
const clear = functionCall('alert_clear', 4);

/** What is not as it should be; control.v1.AlertKind says when. */
export type AlertKind =
  | 'OVERSOLD'
  | 'DRIFT'
  | 'DEAD_LETTER'
  | 'STALLED_CONSUMER'
  | 'BREAKER_OPEN'
  | 'EXPIRY_LATE'
  | 'OUTBOX_LATE'
  | 'MONEY_UNACCOUNTED';

/** An alert as it is raised. One of a kind and subject is open at a time. */
export interface AlertToRaise {
  kind: AlertKind;
  /** A sku, an instance, a shard, a letter: what it is about. */
  subject: string;
  skuId?: string;
  facts: Record<string, unknown>;
  /** The command that looks closer, or mends it: `holdfast prove clinic-1`. */
  command: string;
}

/** The calls about what a person should look at. */
export function alertCalls(pool: LedgerPool) {
  return {
    /** Raises it, or sees it again while it is open. Resolves whether it is a new one. */
    async alertRaise({ kind, subject, skuId, facts, command }: AlertToRaise): Promise<boolean> {
      const values = [kind, subject, skuId ?? null, JSON.stringify(facts), command];
      const [row] = await pool.query<{ alert_raise: boolean }>(raise, values);
      return row?.alert_raise ?? false;
    },

    /** Clears the open one, if there is one; resolves whether there was. `by` is an operator, or `system`. */
    async alertClear(kind: AlertKind, subject: string, by: string, why: string): Promise<boolean> {
      const [row] = await pool.query<{ alert_clear: boolean }>(clear, [kind, subject, by, why]);
      return row?.alert_clear ?? false;
    },
  };
}
