/** How claims reach admission. */
export type StockPath = 'auto' | 'redis' | 'postgres';
/** How claims that the gate let in are carried. */
export type OrderPath = 'auto' | 'stream' | 'direct';

/** What a switch is for, or what a change was about. */
export interface Scope {
  kind: 'all' | 'store' | 'sku';
  /** Empty: of all stores. */
  storeId: string;
  /** Empty: of all skus. */
  skuId: string;
}

/** Which of the two switches, and how it stands. */
export type Setting = { of: 'stock_path'; path: StockPath } | { of: 'order_path'; path: OrderPath };

/** A switch as it is set. */
export interface Switch {
  scope: Scope;
  setting: Setting;
  /** Rises by one with each change. */
  version: number;
  reason: string;
  setBy: string;
  setAt?: Date;
  /** When it is auto again. */
  expiresAt?: Date;
}

/** One thing that an operator changed. */
export interface ControlChange {
  what: string;
  scope: Scope;
  from: string;
  to: string;
  reason: string;
  changedBy: string;
  changedAt?: Date;
  /** Of a switch; 0: not of one. */
  version: number;
  expiresAt?: Date;
}

/** Everything that Holdfast sells. */
export const wholeMesh: Scope = { kind: 'all', storeId: '', skuId: '' };

/** `every store`, `store kiln` or `sku kiln-mug`. */
export function scopeWords({ kind, storeId, skuId }: Scope): string {
  if (kind === 'sku') return `sku ${skuId}`;
  return kind === 'store' ? `store ${storeId}` : 'every store';
}

/** Whether they are of the same store or sku; ids of skus are unique over all stores. */
export function isSameScope(one: Scope, other: Scope): boolean {
  if (one.kind !== other.kind) return false;
  return one.kind === 'sku' ? one.skuId === other.skuId : one.storeId === other.storeId;
}

/** Whether a switch says something of its own: auto, also by expiry, is no word. */
export function isSet({ setting, expiresAt }: Switch, now: Date): boolean {
  return setting.path !== 'auto' && (expiresAt === undefined || expiresAt > now);
}

/** Those that bear on a scope, the widest first: what is of all, of its store, of itself. */
export function bearingOn(scope: Scope, switches: readonly Switch[]): Switch[] {
  const bears = ({ scope: its }: Switch): boolean =>
    its.kind === 'all' || isSameScope(its, scope) || (its.kind === 'store' && its.storeId === scope.storeId);
  const width = ['all', 'store', 'sku'];
  return switches.filter(bears).sort((a, b) => width.indexOf(a.scope.kind) - width.indexOf(b.scope.kind));
}

/** The switch whose word holds in a scope: the narrowest that is set. Undefined: the breakers decide. */
export function decidingSwitch(of: Setting['of'], scope: Scope, switches: readonly Switch[], now: Date) {
  return bearingOn(scope, switches)
    .filter((candidate) => candidate.setting.of === of && isSet(candidate, now))
    .at(-1);
}
