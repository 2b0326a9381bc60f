import type { Violation } from '#libs/refusal/fault.js';
import { isId } from './lines.js';
import { type OrderLimitsChange, orderLimitsViolations } from './order-limits.js';
import type { RateLimit } from './rows.js';

/** A sku as a request names it. */
export interface LimitsKey {
  storeId: string;
  skuId: string;
}

/** What to set. What is absent is left as it is. */
export interface LimitsChange extends OrderLimitsChange {
  storeId: string;
  /** Empty: the store's own. */
  skuId: string;
  rateLimit?: RateLimit;
  /** A rate limit of its own no longer. */
  clearRateLimit: boolean;
  /** QUEUE or FAIL; of a sku only. */
  onBusy?: string;
  /** Of a store only. */
  requireIssuedRequestId?: boolean;
}

const MAX_KEYS = 1_000;
const MAX_RATE = 1_000_000;
const idRule = 'must be 1 to 128 printable ASCII characters without spaces';

/** What is wrong with a rate limit; nothing when there is none. */
export function rateViolations(rateLimit: RateLimit | undefined): Violation[] {
  if (!rateLimit) return [];
  return (['perSecond', 'burst'] as const)
    .filter((name) => !(Number.isInteger(rateLimit[name]) && rateLimit[name] >= 1 && rateLimit[name] <= MAX_RATE))
    .map((name) => ({
      field: name === 'burst' ? 'rate_limit.burst' : 'rate_limit.per_second',
      description: `must be a whole number, 1 to ${MAX_RATE}`,
    }));
}

/** What is wrong with the word for what becomes of a request beyond the limit. */
export function busyViolations(onBusy: string): Violation[] {
  return onBusy === 'QUEUE' || onBusy === 'FAIL' ? [] : [{ field: 'on_busy', description: 'must be QUEUE or FAIL' }];
}

/** Everything about a change of limits that the ledger would not take; empty when it is well formed. */
export function limitsViolations(change: LimitsChange): Violation[] {
  const { storeId, skuId, rateLimit, onBusy, requireIssuedRequestId } = change;
  const violations = [...rateViolations(rateLimit), ...busyViolations(onBusy ?? 'QUEUE')];
  const demand = (holds: boolean, field: string, description: string): void => {
    if (!holds) violations.push({ field, description });
  };
  demand(isId(storeId), 'store_id', idRule);
  demand(skuId === '' || isId(skuId), 'sku_id', `${idRule}, or empty for the store's own`);
  demand(!rateLimit || !change.clearRateLimit, 'clear_rate_limit', 'must not be set together with rate_limit');
  demand(skuId !== '' || onBusy === undefined, 'on_busy', 'is set for a sku only');
  demand(skuId === '' || requireIssuedRequestId === undefined, 'require_issued_request_id', 'is set for a store only');
  return [...violations, ...orderLimitsViolations(change, skuId)];
}

/** Everything that is wrong with a list of keys: 1 to 1000, each well formed. */
export function keysViolations(keys: readonly LimitsKey[]): Violation[] {
  if (keys.length < 1 || keys.length > MAX_KEYS) return [{ field: 'keys', description: `must be 1 to ${MAX_KEYS}` }];
  return keys.flatMap(({ storeId, skuId }, place) => [
    ...(isId(storeId) ? [] : [{ field: `keys[${place}].store_id`, description: idRule }]),
    ...(isId(skuId) ? [] : [{ field: `keys[${place}].sku_id`, description: idRule }]),
  ]);
}
