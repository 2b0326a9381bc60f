import { readId, readNumber, readReason } from './typed.js';

/** A change of one sku as it was typed. */
export interface TypedSkuChange {
  sku: string;
  reason?: string;
}

/** How many units there shall be, as it was typed. */
export interface TypedCapacity extends TypedSkuChange {
  capacity: string;
  force?: boolean;
}

/** A sku and why it is changed, or everything that is wrong with them. */
export function readSkuChange({ sku, reason }: TypedSkuChange) {
  const problems: string[] = [];
  const skuId = readId('SKU', sku, problems) ?? '';
  const why = readReason(reason, problems);
  return problems.length > 0 ? { problems } : { skuId, reason: why };
}

/** A capacity for a sku, or everything that is wrong with it. */
export function readCapacity({ capacity: text, force = false, ...typed }: TypedCapacity) {
  const change = readSkuChange(typed);
  const problems = 'problems' in change ? change.problems : [];
  const capacity = readNumber({ name: 'N', text, low: 0, high: 1_000_000_000 }, problems);
  if ('problems' in change || capacity === undefined) return { problems };
  return { ...change, capacity, force };
}
