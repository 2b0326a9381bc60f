import { ControlServiceDefinition } from '#libs/contracts/gen/holdfast/control/v1/control_service.js';
import type { Ledger } from '#libs/ledger/ledger.js';
import { partOf } from '#libs/rpc/definition.js';
import { implement, type ServiceImplementation } from '#libs/rpc/service.js';
import { serveSwitches } from './serve-switches.js';

const stockControl = partOf(ControlServiceDefinition, [
  'getControl',
  'setStockPath',
  'setOrderPath',
  'listControlChanges',
]);

/** What operators see and set of skus and switches. The gateway has checked that it is an operator who calls. */
export function controlService(ledger: Ledger): ServiceImplementation {
  return implement(stockControl, { ...serveSwitches(ledger) });
}
