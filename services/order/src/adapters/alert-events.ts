import { AlertChanged } from '#libs/contracts/gen/holdfast/event/v1/alert_event.js';
import { alertEventSubject, subjects } from '#libs/contracts/subjects.js';
import type { Alert, AlertNews } from '#libs/ledger/alerts.js';
import type { Messaging } from '#libs/messaging/messaging.js';
import { toAlertMessage } from './alert-messages.js';
import { cloudEvent } from './events.js';

const storeTimeoutMs = 5_000;

/** Stores that an alert was raised, or cleared, as a CloudEvent; resolves when the stream has it. */
export async function storeAlertEvent(messaging: Messaging, { news, alert }: AlertNews): Promise<void> {
  const { cleared, ...raised } = alert;
  const told: Alert = news === 'CLEARED' ? alert : raised;
  const changedAt = told.cleared?.at ?? alert.firstSeenAt;
  const id = `alert-${alert.alertId}-${news.toLowerCase()}`;
  const data = AlertChanged.encode({ alert: toAlertMessage(told), changedAt }).finish();
  const event = { id, type: subjects.alertEvents.message, at: changedAt, subject: String(alert.alertId) };
  await messaging.store(alertEventSubject(news), data, {
    timeoutMs: storeTimeoutMs,
    messageId: id,
    headers: cloudEvent(event),
  });
}
