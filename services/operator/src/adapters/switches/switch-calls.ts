import { randomUUID } from 'node:crypto';
import { ControlServiceDefinition } from '#libs/contracts/gen/holdfast/control/v1/control_service.js';
import {
  type ControlChange as ControlChangeMessage,
  OrderPath as OrderPathMessage,
  ScopeKind,
  type Scope as ScopeMessage,
  StockPath as StockPathMessage,
  type Switch as SwitchMessage,
} from '#libs/contracts/gen/holdfast/control/v1/switch.js';
import type { Switches } from '../../app/ports.js';
import {
  type ControlChange,
  type OrderPath,
  type Scope,
  type Setting,
  type StockPath,
  type Switch,
  wholeMesh,
} from '../../domain/switches.js';
import type { Wire } from '../wire.js';

const scopeKinds: Record<Scope['kind'], ScopeKind> = {
  all: ScopeKind.SCOPE_KIND_ALL,
  store: ScopeKind.SCOPE_KIND_STORE,
  sku: ScopeKind.SCOPE_KIND_SKU,
};
const stockPaths: Record<StockPath, StockPathMessage> = {
  auto: StockPathMessage.STOCK_PATH_AUTO,
  redis: StockPathMessage.STOCK_PATH_REDIS,
  postgres: StockPathMessage.STOCK_PATH_POSTGRES,
};
const orderPaths: Record<OrderPath, OrderPathMessage> = {
  auto: OrderPathMessage.ORDER_PATH_AUTO,
  stream: OrderPathMessage.ORDER_PATH_STREAM,
  direct: OrderPathMessage.ORDER_PATH_DIRECT,
};

/** The switches as the gateway tells them. */
export function switchCalls({ connect, options }: Wire): Switches {
  const control = connect(ControlServiceDefinition);
  return {
    async getSwitches() {
      const { switches } = await control.getControl({}, options);
      return switches.map(toSwitch);
    },
    async setSwitch({ scope, setting, ...change }) {
      const common = { ...change, scope: toScopeMessage(scope), requestId: randomUUID() };
      const { switch: now } =
        setting.of === 'stock_path'
          ? await control.setStockPath({ ...common, path: stockPaths[setting.path] }, options)
          : await control.setOrderPath({ ...common, path: orderPaths[setting.path] }, options);
      return now === undefined ? { scope, setting, version: 0, reason: change.reason, setBy: '' } : toSwitch(now);
    },
    async listChanges(scope, pageSize, pageToken) {
      const request = { scope: scope && toScopeMessage(scope), pageSize, pageToken };
      const { changes, nextPageToken } = await control.listControlChanges(request, options);
      return { items: changes.map(toChange), nextPageToken };
    },
  };
}

/** A switch from the wire. */
export function toSwitch({ scope, path, version, reason, setBy, setAt, expiresAt }: SwitchMessage): Switch {
  return {
    scope: toScope(scope),
    setting: toSetting(path),
    version,
    reason,
    setBy,
    ...(setAt && { setAt }),
    ...(expiresAt && { expiresAt }),
  };
}

/** How a stock path stands; one that only a newer gateway knows counts as auto. */
export function toStockPath(path: StockPathMessage): StockPath {
  return keyOf(stockPaths, path) ?? 'auto';
}

function toSetting(path: SwitchMessage['path']): Setting {
  if (path?.$case === 'orderPath') return { of: 'order_path', path: keyOf(orderPaths, path.value) ?? 'auto' };
  return { of: 'stock_path', path: path === undefined ? 'auto' : toStockPath(path.value) };
}

function toChange({ scope, changedAt, expiresAt, ...change }: ControlChangeMessage): ControlChange {
  return { ...change, scope: toScope(scope), ...(changedAt && { changedAt }), ...(expiresAt && { expiresAt }) };
}

function toScope(scope: ScopeMessage | undefined): Scope {
  if (scope === undefined) return wholeMesh;
  return { kind: keyOf(scopeKinds, scope.kind) ?? 'all', storeId: scope.storeId, skuId: scope.skuId };
}

function toScopeMessage({ kind, storeId, skuId }: Scope): ScopeMessage {
  return { kind: scopeKinds[kind], storeId, skuId };
}

function keyOf<Key extends string, Value>(map: Record<Key, Value>, value: Value): Key | undefined {
  return (Object.keys(map) as Key[]).find((key) => map[key] === value);
}
