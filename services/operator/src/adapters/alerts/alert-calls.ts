import { randomUUID } from 'node:crypto';
import {
  AlertKind,
  type Alert as AlertMessage,
  AlertServiceDefinition,
} from '#libs/contracts/gen/holdfast/control/v1/alert_service.js';
import { Fault } from '#libs/refusal/fault.js';
import type { Alerts } from '../../app/ports.js';
import type { Alert } from '../../domain/alert.js';
import { enumWord } from '../enum-word.js';
import type { Wire } from '../wire.js';

/** Alerts as the gateway tells them. */
export function alertCalls({ connect, options }: Wire): Alerts {
  const service = connect(AlertServiceDefinition);
  return {
    async listAlerts(withCleared, pageSize, pageToken) {
      const { alerts, nextPageToken } = await service.listAlerts({ withCleared, pageSize, pageToken }, options);
      return { items: alerts.map(toAlert), nextPageToken };
    },
    async clearAlert(alertId, reason) {
      return toAlert((await service.clearAlert({ alertId, reason, requestId: randomUUID() }, options)).alert);
    },
  };
}

function toAlert(message: AlertMessage | undefined): Alert {
  if (message === undefined) throw new Fault('INTERNAL', 'the gateway answered without the alert');
  return { ...message, kind: enumWord(AlertKind[message.kind], 'ALERT_KIND_') };
}
