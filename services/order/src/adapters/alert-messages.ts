import { AlertKind, type Alert as AlertMessage } from '#libs/contracts/gen/holdfast/control/v1/alert_service.js';
import type { Alert } from '#libs/ledger/alerts.js';

/** The ledger's alert as the contracts carry it. */
export function toAlertMessage({ cleared, ...alert }: Alert): AlertMessage {
  return {
    alertId: alert.alertId,
    kind: AlertKind[`ALERT_KIND_${alert.kind}`],
    subject: alert.subject,
    skuId: alert.skuId ?? '',
    facts: JSON.stringify(alert.facts),
    command: alert.command,
    firstSeenAt: alert.firstSeenAt,
    lastSeenAt: alert.lastSeenAt,
    timesSeen: alert.timesSeen,
    clearedAt: cleared?.at,
    clearedBy: cleared?.by ?? '',
    clearedReason: cleared?.reason ?? '',
  };
}
