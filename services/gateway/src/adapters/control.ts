import {
  ControlServiceDefinition,
  type SetLimitsRequest,
} from '#libs/contracts/gen/holdfast/control/v1/control_service.js';
import { OnBusy } from '#libs/contracts/gen/holdfast/inventory/v1/sku.js';
import type { Client } from '#libs/rpc/client.js';
import { partOf } from '#libs/rpc/definition.js';
import { type Handlers, implement, type ServiceImplementation } from '#libs/rpc/service.js';
import type { CallLimits } from '../app/limits/call-limits.js';
import type { BucketRate } from '../app/limits/token-buckets.js';
import type { Inventory } from '../app/ports.js';
import { refuseIfAny } from '../domain/fields.js';
import { pageSizeOf } from '../domain/page-size.js';
import { type LimitsAsked, validateSetLimits } from '../domain/validate-limits.js';
import { validateListLimits } from '../domain/validate-requests.js';
import { forwardTo } from './forward.js';
import type { MeshStatus } from './mesh-status.js';
import { behindToll } from './toll.js';

/** What inventory owns of the service. */
export const stockControl = partOf(ControlServiceDefinition, [
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

export interface ControlOptions {
  stock: Client<typeof stockControl>;
  inventory: Pick<Inventory, 'listLimits' | 'setLimits'>;
  /** What holds where neither sku nor store sets anything. */
  configured: BucketRate;
  callLimits: CallLimits;
  meshStatus: Pick<MeshStatus, 'read'>;
}

/** What operators see and set. */
export function controlService(options: ControlOptions): ServiceImplementation {
  const { stock, inventory, configured, callLimits, meshStatus } = options;
  const handlers: Handlers<typeof ControlServiceDefinition> = {
    ...forwardTo(stockControl, stock),
    getMeshStatus: (_request, call) => meshStatus.read(call),
    async listLimits(request, call) {
      refuseIfAny(validateListLimits(request));
      const page = await inventory.listLimits({ ...request, pageSize: pageSizeOf(request.pageSize) }, call);
      return { ...page, configured: { ...configured } };
    },
    async setLimits(request, call) {
      refuseIfAny(validateSetLimits(asked(request)));
      return inventory.setLimits(request, call);
    },
  };
  return implement(ControlServiceDefinition, behindToll(ControlServiceDefinition, handlers, callLimits));
}

function asked(request: SetLimitsRequest): LimitsAsked {
  return { ...request, onBusy: request.onBusy === undefined ? undefined : onBusyWord(request.onBusy) };
}

function onBusyWord(onBusy: OnBusy): LimitsAsked['onBusy'] {
  if (onBusy === OnBusy.ON_BUSY_QUEUE) return 'QUEUE';
  return onBusy === OnBusy.ON_BUSY_FAIL ? 'FAIL' : 'UNKNOWN';
}
