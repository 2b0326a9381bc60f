import type { Paint } from '#libs/terminal/paint.js';
import { type Column, renderTable } from '#libs/terminal/table.js';
import type { Alert } from '../../domain/alert.js';
import { factsText } from '../facts.js';
import { instantText } from '../time-text.js';

const columns: Column[] = [
  { title: 'alert', side: 'right' },
  { title: 'kind' },
  { title: 'about' },
  { title: 'figures' },
  { title: 'first seen' },
  { title: 'last seen' },
  { title: 'times', side: 'right' },
  { title: 'next' },
];

/** Alerts, the last seen first, and how many are open. */
export function alertsTable(alerts: readonly Alert[], paint: Paint): string {
  if (alerts.length === 0) return paint('green', 'no alert is open');
  const open = alerts.filter(({ clearedAt }) => clearedAt === undefined).length;
  const last =
    open === 0 ? paint('green', 'no alert is open') : paint('red', `${open} ${open === 1 ? 'is' : 'are'} open`);
  return `${alertRows(alerts, paint)}\n\n${last}`;
}

/** What is told of alerts when they change, by their number. */
export function alertFacts(alerts: readonly Alert[]): Map<string, string> {
  const open = alerts.filter(({ clearedAt }) => clearedAt === undefined);
  const told = open.map(({ alertId, kind, subject, facts, command }): [string, string] => [
    `alert ${alertId}`,
    [`${kind} ${subject}`, factsText(facts), command === '' ? '' : `next: ${command}`].filter(Boolean).join('; '),
  ]);
  return new Map([...told, ['alerts', open.length === 0 ? 'none is open' : `${open.length} open`]]);
}

/** Alerts, a line each. */
export function alertRows(alerts: readonly Alert[], paint: Paint): string {
  return renderTable(
    columns,
    alerts.map((alert) => [
      String(alert.alertId),
      alert.clearedAt === undefined ? paint('red', alert.kind) : alert.kind,
      alert.subject,
      factsText(alert.facts),
      instantText(alert.firstSeenAt),
      instantText(alert.lastSeenAt),
      String(alert.timesSeen),
      nextText(alert, paint),
    ]),
  );
}

function nextText({ clearedAt, clearedBy, clearedReason, command }: Alert, paint: Paint): string {
  if (clearedAt === undefined) return paint('bold', command);
  const why = clearedReason === '' ? '' : `: ${clearedReason}`;
  return `cleared by ${clearedBy} at ${instantText(clearedAt)}${why}`;
}
