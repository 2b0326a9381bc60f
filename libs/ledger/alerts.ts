import { retryConflicts } from '#libs/postgres/errors.js';
import { Fault } from '#libs/refusal/fault.js';
import { functionCall, type LedgerPool } from './ledger-pool.js';
import { cutPage, isRowNumber, type PageQuery, readPage } from './page.js';
import { type Instant, isInstant, toDate } from './rows.js';

const ATTEMPTS = 5;
const raise = functionCall('alert_raise', 5);
const clear = functionCall('alert_clear', 4);
const clearById = functionCall('alert_clear_by_id', 4);
const list = functionCall('alerts_list', 4);
const count = functionCall('alerts_count', 0);
const check = functionCall('alerts_check', 4);
const untold = functionCall('alerts_untold', 1);
const markTold = functionCall('alerts_mark_told', 2);

/** What may not be as it should be; control.v1.AlertKind says when. */
export const alertKinds = [
  'OVERSOLD',
  'DRIFT',
  'DEAD_LETTER',
  'STALLED_CONSUMER',
  'BREAKER_OPEN',
  'EXPIRY_LATE',
  'OUTBOX_LATE',
  'MONEY_UNACCOUNTED',
  'WEBHOOK_DISABLED',
] as const;

/** What is not as it should be. */
export type AlertKind = (typeof alertKinds)[number];

/** How many alerts of each kind are open; a kind without any is left out. */
export type OpenAlerts = Partial<Record<AlertKind, number>>;

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

/** An alert as it stands in the ledger. */
export interface Alert extends AlertToRaise {
  alertId: number;
  firstSeenAt: Date;
  lastSeenAt: Date;
  timesSeen: number;
  /** Absent: it is open. */
  cleared?: { at: Date; by: string; reason: string };
}

/** Something about an alert that the world was not told yet. Of one alert RAISED comes before CLEARED. */
export interface AlertNews {
  news: 'RAISED' | 'CLEARED';
  alert: Alert;
}

/** When something is late, in milliseconds. */
export interface AlertThresholds {
  /** EXPIRY_LATE: a hold is past its expires_at for longer. */
  expiryLateMs: number;
  /** OUTBOX_LATE: an event is unpublished for longer. Absent: nobody publishes, so none is late. */
  outboxLateMs?: number;
  /** STALLED_CONSUMER: subjects that flow. Their alerts are cleared when they were not seen for `settledMs`. */
  flowing: readonly string[];
  settledMs: number;
}

interface AlertRow {
  id: number;
  kind: AlertKind;
  subject: string;
  sku_id: string | null;
  facts: Record<string, unknown>;
  command: string;
  first_seen_at: Instant;
  last_seen_at: Instant;
  times_seen: number;
  cleared_at: Instant | null;
  cleared_by: string | null;
  cleared_reason: string | null;
}

/** The calls about what a person should look at. */
export function alertCalls(pool: LedgerPool) {
  return { ...deskCalls(pool), ...checkCalls(pool), ...relayCalls(pool) };
}

function deskCalls(pool: LedgerPool) {
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

    /**
     * Clears one alert by an operator's hand, once for a request; one that is cleared already is given as it is.
     * Errors: Fault ALERT_NOT_FOUND; REQUEST_ID_REUSED when the request did something else.
     */
    async alertClearById({ alertId, by, reason, requestId }: AlertClearing): Promise<Alert> {
      type Outcome = 'CLEARED' | 'UNCHANGED' | 'REUSED' | 'NOT_FOUND';
      const [row] = await retryConflicts(
        () => pool.query<{ outcome: Outcome; alert_row: AlertRow | null }>(clearById, [alertId, by, reason, requestId]),
        ATTEMPTS,
      );
      if (row?.outcome === 'REUSED') throw requestReused(requestId);
      if (row?.alert_row) return toAlert(row.alert_row);
      throw new Fault('ALERT_NOT_FOUND', 'there is no such alert', { metadata: { alert_id: String(alertId) } });
    },

    /** Alerts, the last seen first. Fault INVALID_REQUEST for a page that cannot be. */
    async alertsList(
      { withCleared }: { withCleared: boolean },
      page: PageQuery,
    ): Promise<{ alerts: Alert[]; nextPageToken: string }> {
      const name = withCleared ? 'alerts' : 'alerts open';
      const { size, after } = readPage(name, page, [isInstant, isRowNumber]);
      const found = await pool.query<AlertRow>(list, [withCleared, after?.[0] ?? null, after?.[1] ?? null, size + 1]);
      const keyOf = (row: AlertRow): string[] => [toDate(row.last_seen_at).toISOString(), String(row.id)];
      const { rows, nextPageToken } = cutPage(name, found, { size, keyOf });
      return { alerts: rows.map(toAlert), nextPageToken };
    },
  };
}

function checkCalls(pool: LedgerPool) {
  return {
    /** How many are open. */
    async alertsCount({ deadlineMs }: { deadlineMs?: number } = {}): Promise<OpenAlerts> {
      const options = deadlineMs === undefined ? {} : { deadlineMs };
      const rows = await pool.query<{ kind: AlertKind; open: number }>(count, [], options);
      return Object.fromEntries(rows.map(({ kind, open }) => [kind, open]));
    },

    /** Raises alerts for what is late or left over, clears those whose cause is gone, and counts what is open then. */
    async alertsCheck(thresholds: AlertThresholds): Promise<{ raised: number; cleared: number; open: OpenAlerts }> {
      const { expiryLateMs, outboxLateMs, flowing, settledMs } = thresholds;
      const values = [expiryLateMs, outboxLateMs ?? null, flowing, settledMs];
      const [row] = await pool.query<{ raised: number; cleared: number; open: OpenAlerts }>(check, values);
      if (!row) throw new Error('alerts_check gave no row');
      return row;
    },
  };
}

function relayCalls(pool: LedgerPool) {
  return {
    /** What the world was not told yet, at most one thing of each alert. Nothing is reserved: two relays get the same. */
    async alertsUntold(limit: number): Promise<AlertNews[]> {
      const rows = await pool.query<AlertRow & { told: AlertNews['news'] }>(untold, [limit]);
      return rows.map((row) => ({ news: row.told, alert: toAlert(row) }));
    },

    /** Notes that it was told; it is not given again. Again the same is fine. */
    async alertsMarkTold(told: readonly AlertNews[]): Promise<void> {
      if (told.length === 0) return;
      await pool.query(markTold, [told.map(({ alert }) => alert.alertId), told.map(({ news }) => news)]);
    },
  };
}

/** Who clears which alert, and why. */
export interface AlertClearing {
  alertId: number;
  by: string;
  /** 1..500 characters. */
  reason: string;
  requestId: string;
}

/** Said when an operator's request did something else before. */
export function requestReused(requestId: string): Fault {
  return new Fault('REQUEST_ID_REUSED', 'this request id was used for something else', {
    metadata: { request_id: requestId },
  });
}

function toAlert(row: AlertRow): Alert {
  return {
    alertId: row.id,
    kind: row.kind,
    subject: row.subject,
    ...(row.sku_id !== null && { skuId: row.sku_id }),
    facts: row.facts,
    command: row.command,
    firstSeenAt: toDate(row.first_seen_at),
    lastSeenAt: toDate(row.last_seen_at),
    timesSeen: row.times_seen,
    ...(row.cleared_at !== null && {
      cleared: { at: toDate(row.cleared_at), by: row.cleared_by ?? '', reason: row.cleared_reason ?? '' },
    }),
  };
}
