import { AlertServiceDefinition } from '#libs/contracts/gen/holdfast/control/v1/alert_service.js';
import { changeViolations } from '#libs/ledger/control-violations.js';
import type { Ledger } from '#libs/ledger/ledger.js';
import { actorNameOf } from '#libs/rpc/actor.js';
import { implement, type ServiceImplementation } from '#libs/rpc/service.js';
import type { AlertCheck } from '../app/check-alerts.js';
import { toAlertMessage } from './alert-messages.js';
import { RequestCheck } from './requests.js';

/** The AlertService on the wire. */
export function alertService(
  ledger: Pick<Ledger, 'alertsList' | 'alertClearById'>,
  check: Pick<AlertCheck, 'look'>,
): ServiceImplementation {
  return implement(AlertServiceDefinition, {
    async listAlerts({ withCleared, pageSize, pageToken }) {
      const { alerts, nextPageToken } = await ledger.alertsList({ withCleared }, { pageSize, pageToken });
      return { alerts: alerts.map(toAlertMessage), nextPageToken };
    },

    async clearAlert({ alertId, reason, requestId }, call) {
      const by = actorNameOf(call);
      new RequestCheck()
        .that(alertId > 0, 'alert_id', 'must name an alert')
        .also(changeViolations({ reason, requestId }))
        .done();
      return { alert: toAlertMessage(await ledger.alertClearById({ alertId, by, reason, requestId })) };
    },

    async checkAlerts() {
      const { raised, cleared, open } = await check.look();
      return { raised, cleared, open: { ...open } };
    },
  });
}
