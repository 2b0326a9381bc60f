import type { Alert } from '../../domain/alert.js';
import { factsJson } from '../facts.js';
import { instantJson } from '../time-text.js';

/** An alert as `alerts --json` prints it; names as in the contracts. */
export function alertJson(alert: Alert): object {
  return {
    alert_id: alert.alertId,
    kind: alert.kind,
    subject: alert.subject,
    sku_id: alert.skuId,
    facts: factsJson(alert.facts),
    command: alert.command,
    first_seen_at: instantJson(alert.firstSeenAt),
    last_seen_at: instantJson(alert.lastSeenAt),
    times_seen: alert.timesSeen,
    cleared_at: instantJson(alert.clearedAt),
    cleared_by: alert.clearedBy,
    cleared_reason: alert.clearedReason,
  };
}
