import type {
  SetOrderPathRequest,
  SetStockPathRequest,
} from '#libs/contracts/gen/holdfast/control/v1/control_service.js';
import {
  type ControlChange as ControlChangeMessage,
  OrderPath,
  ScopeKind,
  type Scope as ScopeMessage,
  StockPath,
  type Switch as SwitchMessage,
} from '#libs/contracts/gen/holdfast/control/v1/switch.js';
import type { ControlChange } from '#libs/ledger/control-changes.js';
import type { Scope } from '#libs/ledger/control-violations.js';
import type { OrderSetting, StockSetting, Switch, SwitchChange } from '#libs/ledger/switches.js';

const everything: Scope = { kind: 'ALL', storeId: '', skuId: '' };

/** A kind that nobody knows is none, for the ledger to refuse. */
export function fromScopeMessage({ kind, storeId, skuId }: ScopeMessage): Scope {
  return { kind: (ScopeKind[kind] ?? '').replace('SCOPE_KIND_', ''), storeId, skuId };
}

function toScopeMessage({ kind, storeId, skuId }: Scope): ScopeMessage {
  return { kind: ScopeKind[`SCOPE_KIND_${kind}` as keyof typeof ScopeKind], storeId, skuId };
}

export function fromSetStockPath({ path, ...request }: SetStockPathRequest, setBy: string): SwitchChange {
  const setting = (StockPath[path] ?? '').replace('STOCK_PATH_', '');
  return { ...fromRequest(request, setBy), name: 'STOCK_PATH', setting };
}

/** Without a scope it is about everything: there is no other. */
export function fromSetOrderPath({ path, scope, ...request }: SetOrderPathRequest, setBy: string): SwitchChange {
  const setting = (OrderPath[path] ?? '').replace('ORDER_PATH_', '');
  const change = fromRequest({ ...request, scope }, setBy);
  return { ...change, scope: scope ? change.scope : everything, name: 'ORDER_PATH', setting };
}

export function toSwitchMessage({ name, scope, setting, ...rest }: Switch): SwitchMessage {
  const path =
    name === 'STOCK_PATH'
      ? { $case: 'stockPath' as const, value: StockPath[`STOCK_PATH_${setting as StockSetting}`] }
      : { $case: 'orderPath' as const, value: OrderPath[`ORDER_PATH_${setting as OrderSetting}`] };
  return { ...rest, scope: toScopeMessage(scope), path, expiresAt: rest.expiresAt };
}

export function toChangeMessage({ was, became, scope, ...change }: ControlChange): ControlChangeMessage {
  return {
    ...change,
    scope: toScopeMessage(scope),
    from: was,
    to: became,
    version: change.version ?? 0,
    expiresAt: change.expiresAt,
  };
}

function fromRequest(
  request: Omit<SetStockPathRequest, 'path'>,
  setBy: string,
): Omit<SwitchChange, 'name' | 'setting'> {
  const { scope, expectedVersion, expiresInSeconds, reason, requestId } = request;
  const from = scope ? fromScopeMessage(scope) : { ...everything, kind: '' };
  return { scope: from, expectedVersion, expiresInSeconds, reason, setBy, requestId };
}
