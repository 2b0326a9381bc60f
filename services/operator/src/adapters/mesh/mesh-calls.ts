import {
  ControlServiceDefinition,
  type MeshInstance as MeshInstanceMessage,
} from '#libs/contracts/gen/holdfast/control/v1/control_service.js';
import {
  BreakerState,
  type InstanceStatus as InstanceStatusMessage,
  OrderPathInUse,
  StockPathInUse,
  type StockStatus as StockStatusMessage,
} from '#libs/contracts/gen/holdfast/status/v1/instance.js';
import type { Mesh } from '../../app/ports.js';
import type { Breaker, InstanceStatus, MeshInstance, StockStatus } from '../../domain/mesh.js';
import { enumWord } from '../enum-word.js';
import { toSwitch } from '../switches/switch-calls.js';
import type { Wire } from '../wire.js';

/** The state of everything as the gateway tells it. */
export function meshCalls({ connect, options }: Wire): Mesh {
  const control = connect(ControlServiceDefinition);
  return {
    async getStatus() {
      const { instances, switches, openAlerts } = await control.getMeshStatus({}, options);
      return {
        instances: instances.map(toInstance),
        switches: switches.map(toSwitch),
        openAlerts: toAlerts(openAlerts),
      };
    },
  };
}

function toAlerts(open: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(open).map(([kind, count]) => [kind.replace(/^ALERT_KIND_/, ''), count]));
}

function toInstance({ service, address, status, problem }: MeshInstanceMessage): MeshInstance {
  return { service, address, problem, ...(status && { status: toStatus(status) }) };
}

function toStatus({ stock, orders, service: _service, ...status }: InstanceStatusMessage): InstanceStatus {
  return { ...status, ...(stock && { stock: toStock(stock) }), ...(orders && { orders }) };
}

function toStock({ stockPath, orderPath, gateBreaker, streamBreaker, ...figures }: StockStatusMessage): StockStatus {
  return {
    ...figures,
    stockPath: enumWord(StockPathInUse[stockPath], 'STOCK_PATH_IN_USE_').toLowerCase(),
    orderPath: enumWord(OrderPathInUse[orderPath], 'ORDER_PATH_IN_USE_').toLowerCase(),
    gateBreaker: toBreaker(gateBreaker),
    streamBreaker: toBreaker(streamBreaker),
  };
}

function toBreaker(state: BreakerState): Breaker {
  const words: Partial<Record<BreakerState, Breaker>> = {
    [BreakerState.BREAKER_STATE_CLOSED]: 'closed',
    [BreakerState.BREAKER_STATE_OPEN]: 'open',
    [BreakerState.BREAKER_STATE_HALF_OPEN]: 'half_open',
  };
  return words[state] ?? 'none';
}
