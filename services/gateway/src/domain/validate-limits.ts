import type { Violation } from '#libs/refusal/fault.js';
import { checkId, checkLongId } from './fields.js';

/** What an operator sets. An empty sku stands for the store's own. */
export interface LimitsAsked {
  storeId: string;
  skuId: string;
  rateLimit: { perSecond: number; burst: number } | undefined;
  clearRateLimit: boolean;
  /** Undefined where it shall stay; UNKNOWN for a value that this version does not know. */
  onBusy: 'QUEUE' | 'FAIL' | 'UNKNOWN' | undefined;
  requireIssuedRequestId?: boolean | undefined;
  perAttendeeLimit?: number | undefined;
  openOrdersPerUser?: number | undefined;
  unfulfilledPerUser?: number | undefined;
  /** The group whose limit is set; undefined: the store's. */
  groupId?: string | undefined;
  requestId: string;
}

const rateMax = 1_000_000;
const orderLimits = [
  ['per_attendee_limit', 'perAttendeeLimit'],
  ['open_orders_per_user', 'openOrdersPerUser'],
  ['unfulfilled_per_user', 'unfulfilledPerUser'],
] as const;

/** Every violation at once. */
export function validateSetLimits(asked: LimitsAsked): Violation[] {
  const violations: Violation[] = [];
  checkId(violations, 'store_id', asked.storeId);
  if (asked.skuId !== '') checkId(violations, 'sku_id', asked.skuId);
  checkRate(violations, asked);
  checkWhose(violations, asked);
  checkOrderLimits(violations, asked);
  checkLongId(violations, 'request_id', asked.requestId);
  return violations;
}

function checkRate(violations: Violation[], { rateLimit, clearRateLimit }: LimitsAsked): void {
  if (rateLimit === undefined) return;
  for (const [name, value] of [
    ['per_second', rateLimit.perSecond],
    ['burst', rateLimit.burst],
  ] as const) {
    if (Number.isInteger(value) && value >= 1 && value <= rateMax) continue;
    const description = `must be a whole number from 1 to ${rateMax}, not ${value}`;
    violations.push({ field: `rate_limit.${name}`, description });
  }
  if (clearRateLimit) violations.push({ field: 'clear_rate_limit', description: 'must not be set with rate_limit' });
}

function checkWhose(violations: Violation[], asked: LimitsAsked): void {
  const { skuId, rateLimit, clearRateLimit, onBusy, requireIssuedRequestId } = asked;
  if (onBusy === 'UNKNOWN') violations.push({ field: 'on_busy', description: 'must be QUEUE or FAIL' });
  if (onBusy !== undefined && skuId === '') {
    violations.push({ field: 'on_busy', description: 'is of a sku only: name it in sku_id' });
  }
  if (requireIssuedRequestId !== undefined && skuId !== '') {
    violations.push({ field: 'require_issued_request_id', description: 'is of a store only: leave sku_id empty' });
  }
  const others = [onBusy, requireIssuedRequestId, asked.groupId, ...orderLimits.map(([, name]) => asked[name])];
  const isNothing = rateLimit === undefined && !clearRateLimit;
  if (isNothing && others.every((value) => value === undefined)) {
    violations.push({ field: 'rate_limit', description: 'or another field must say what to set' });
  }
}

function checkOrderLimits(violations: Violation[], asked: LimitsAsked): void {
  const { skuId, groupId } = asked;
  for (const [field, name] of orderLimits) {
    const value = asked[name];
    if (value === undefined) continue;
    if (!Number.isInteger(value) || value < 0 || value > rateMax) {
      violations.push({ field, description: `must be a whole number from 0 to ${rateMax}, not ${value}` });
    }
    if (skuId !== '') violations.push({ field, description: 'is of a store only: leave sku_id empty' });
    if (groupId !== undefined && name !== 'perAttendeeLimit') {
      violations.push({ field, description: 'is of a store, not of a group: leave group_id out' });
    }
  }
  if (groupId === undefined) return;
  checkId(violations, 'group_id', groupId);
  if (asked.perAttendeeLimit === undefined) {
    violations.push({ field: 'per_attendee_limit', description: 'must say what an attendee may have of the group' });
  }
}
