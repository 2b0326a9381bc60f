import type { ScopeWanted } from '../domain/switch-change.js';
import { bearingOn, decidingSwitch, type Scope, type Switch } from '../domain/switches.js';
import type { Gateway } from './ports.js';
import { findScope } from './set-switch.js';

/** The switches that were asked for, and which of them decides. */
export interface SwitchesShown {
  scope: Scope;
  switches: Switch[];
  /** Absent: the breakers decide. */
  stockPath: Switch | undefined;
  orderPath: Switch | undefined;
}

/** All switches, or those that bear on a store or a sku. */
export async function showSwitches(
  reach: Pick<Gateway, 'switches' | 'skus'>,
  wanted: ScopeWanted,
  now: Date,
): Promise<SwitchesShown> {
  const scope = await findScope(reach, wanted);
  const all = await reach.switches.getSwitches();
  return {
    scope,
    switches: scope.kind === 'all' ? all : bearingOn(scope, all),
    stockPath: decidingSwitch('stock_path', scope, all, now),
    orderPath: decidingSwitch('order_path', scope, all, now),
  };
}
