import { ControlServiceDefinition } from '#libs/contracts/gen/holdfast/control/v1/control_service.js';
import type { Ledger } from '#libs/ledger/ledger.js';
import { partOf } from '#libs/rpc/definition.js';
import { implement, type ServiceImplementation } from '#libs/rpc/service.js';
import { type SkuControlParts, serveSkuControl } from './serve-sku-control.js';
import { serveSwitches } from './serve-switches.js';

const stockControl = partOf(ControlServiceDefinition, [
  'getControl',
  'setStockPath',
  'setOrderPath',
  'listControlChanges',
  'pauseSku',
  'resumeSku',
  'cancelSku',
  'listOverbookedOrders',
  'setCapacity',
  'importSkus',
  'listReleases',
]);

/** What operators see and set of skus and switches. The gateway has checked that it is an operator who calls. */
export function controlService(parts: SkuControlParts & { ledger: Ledger }): ServiceImplementation {
  return implement(stockControl, { ...serveSwitches(parts.ledger), ...serveSkuControl(parts) });
}
