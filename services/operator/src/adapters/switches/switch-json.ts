import type { SwitchesShown } from '../../app/show-switches.js';
import type { ControlChange, Scope, Switch } from '../../domain/switches.js';
import { instantJson } from '../time-text.js';

/** As `switch get --json` prints it; names as in the contracts. */
export function switchesJson({ scope, switches, stockPath, orderPath }: SwitchesShown): object {
  return {
    scope: scopeJson(scope),
    stock_path: stockPath?.setting.path ?? 'auto',
    order_path: orderPath?.setting.path ?? 'auto',
    switches: switches.map(switchJson),
  };
}

/** As `switch history --json` prints it. */
export function historyJson(changes: readonly ControlChange[], isMore: boolean): object {
  return { changes: changes.map(changeJson), is_more: isMore };
}

/** One switch as it is set. */
export function switchJson({ scope, setting, version, reason, setBy, setAt, expiresAt }: Switch): object {
  return {
    scope: scopeJson(scope),
    switch: setting.of,
    path: setting.path,
    version,
    reason,
    set_by: setBy,
    set_at: instantJson(setAt),
    expires_at: instantJson(expiresAt),
  };
}

function changeJson({ scope, changedBy, changedAt, expiresAt, ...change }: ControlChange): object {
  const { what, from, to, reason, version } = change;
  return {
    what,
    scope: scopeJson(scope),
    from,
    to,
    reason,
    changed_by: changedBy,
    changed_at: instantJson(changedAt),
    version,
    expires_at: instantJson(expiresAt),
  };
}

function scopeJson({ kind, storeId, skuId }: Scope): object {
  return {
    kind,
    ...(kind !== 'all' && { store_id: storeId }),
    ...(kind === 'sku' && { sku_id: skuId }),
  };
}
