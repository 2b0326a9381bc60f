import type { OrderPath, Setting, StockPath } from './switches.js';
import { readDuration, readId, readNumber, readReason } from './typed.js';

/** A store, or a sku whose store is looked up when it is not named; neither: everything. */
export interface ScopeWanted {
  storeId?: string;
  skuId?: string;
}

/** How a switch shall stand. */
export interface SwitchChange {
  scope: ScopeWanted;
  setting: Setting;
  reason: string;
  /** Back to auto after so long; 0: until it is set again. */
  expiresInSeconds: number;
  /** The version that was read; absent: it is read first. */
  expectedVersion?: number;
}

/** A scope as it was typed. */
export interface TypedScope {
  store?: string;
  sku?: string;
}

/** A change as it was typed. */
export interface TypedSwitchChange extends TypedScope {
  path: string;
  reason?: string;
  for?: string;
  expect?: string;
}

const stockPaths: readonly StockPath[] = ['auto', 'redis', 'postgres'];
const orderPaths: readonly OrderPath[] = ['auto', 'stream', 'direct'];

/** The change that was meant, or everything that is wrong with it, one line each. */
export function readSwitchChange(
  of: Setting['of'],
  typed: TypedSwitchChange,
): { change: SwitchChange } | { problems: string[] } {
  const problems: string[] = [];
  const setting = readSetting(of, typed.path, problems);
  const scope = readScope(typed, problems);
  const reason = readReason(typed.reason, problems);
  const expiresInSeconds = readDuration('--for', typed.for, problems) ?? 0;
  if (typed.for !== undefined && typed.path === 'auto')
    problems.push('--for goes with a path that ends: auto does not');
  const version = { name: '--expect', text: typed.expect, low: 0, high: Number.MAX_SAFE_INTEGER };
  const expectedVersion = readNumber(version, problems);
  if (problems.length > 0 || setting === undefined) return { problems };
  return {
    change: { scope, setting, reason, expiresInSeconds, ...(expectedVersion !== undefined && { expectedVersion }) },
  };
}

/** The scope that was typed; ids that are none are noted among the problems. */
export function readScope({ store, sku }: TypedScope, problems: string[]): ScopeWanted {
  const storeId = readId('--store', store, problems);
  const skuId = readId('--sku', sku, problems);
  return { ...(storeId !== undefined && { storeId }), ...(skuId !== undefined && { skuId }) };
}

function readSetting(of: Setting['of'], text: string, problems: string[]): Setting | undefined {
  if (of === 'stock_path') {
    const path = stockPaths.find((known) => known === text.toLowerCase());
    if (path !== undefined) return { of, path };
    const other = orderPaths.some((known) => known === text.toLowerCase());
    const hint = other ? `; ${text} is an order path, set with holdfast switch set-order` : '';
    problems.push(`path ${JSON.stringify(text)}: give auto, redis or postgres${hint}`);
    return undefined;
  }
  const path = orderPaths.find((known) => known === text.toLowerCase());
  if (path !== undefined) return { of, path };
  const other = stockPaths.some((known) => known === text.toLowerCase());
  const hint = other ? `; ${text} is a stock path, set with holdfast switch set` : '';
  problems.push(`path ${JSON.stringify(text)}: give auto, stream or direct${hint}`);
  return undefined;
}
