import type { ControlServiceDefinition } from '#libs/contracts/gen/holdfast/control/v1/control_service.js';
import type { Ledger } from '#libs/ledger/ledger.js';
import { actorNameOf } from '#libs/rpc/actor.js';
import type { Handlers } from '#libs/rpc/service.js';
import {
  fromScopeMessage,
  fromSetOrderPath,
  fromSetStockPath,
  toChangeMessage,
  toSwitchMessage,
} from './switch-messages.js';

type SwitchHandlers = Pick<
  Handlers<typeof ControlServiceDefinition>,
  'getControl' | 'setStockPath' | 'setOrderPath' | 'listControlChanges'
>;

/** The switches: the ledger keeps them, every inventory process polls them. */
export function serveSwitches(
  ledger: Pick<Ledger, 'switchSet' | 'switchesRead' | 'controlChangesList'>,
): SwitchHandlers {
  return {
    async getControl() {
      return { switches: (await ledger.switchesRead()).map(toSwitchMessage) };
    },

    async setStockPath(request, call) {
      const set = await ledger.switchSet(fromSetStockPath(request, actorNameOf(call)));
      return { switch: toSwitchMessage(set) };
    },

    async setOrderPath(request, call) {
      const set = await ledger.switchSet(fromSetOrderPath(request, actorNameOf(call)));
      return { switch: toSwitchMessage(set) };
    },

    async listControlChanges({ scope, pageSize, pageToken }) {
      const of = scope && fromScopeMessage(scope);
      const { changes, nextPageToken } = await ledger.controlChangesList(of, { pageSize, pageToken });
      return { changes: changes.map(toChangeMessage), nextPageToken };
    },
  };
}
