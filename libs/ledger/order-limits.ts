import type { Violation } from '#libs/refusal/fault.js';
import { isId } from './lines.js';

/** What one person may have beyond one sku of a store. Each 1..1,000,000; absent: no limit. */
export interface OrderLimits {
  /** Units that one attendee may have of all skus of the store, used ones too. */
  perAttendeeLimit?: number;
  /** Orders of one user that are to be paid. */
  openOrdersPerUser?: number;
  /** Orders of one user that are to be paid or used. */
  unfulfilledPerUser?: number;
  /** In the order of their ids. */
  groups: GroupLimit[];
}

/** Units that one attendee may have of all skus of a group, used ones too. */
export interface GroupLimit {
  groupId: string;
  perAttendeeLimit: number;
}

/** What to set of them. What is absent is left as it is; 0: no limit. */
export interface OrderLimitsChange {
  /** The group whose per_attendee_limit is set; absent: the store's. */
  groupId?: string;
  perAttendeeLimit?: number;
  openOrdersPerUser?: number;
  unfulfilledPerUser?: number;
}

/** The row of order_limits_read. */
export interface OrderLimitsRow {
  per_attendee_limit: number | null;
  open_orders_per_user: number | null;
  unfulfilled_per_user: number | null;
  groups: { group_id: string; per_attendee_limit: number }[];
}

const MAX_LIMIT = 1_000_000;
const figures = [
  ['perAttendeeLimit', 'per_attendee_limit'],
  ['openOrdersPerUser', 'open_orders_per_user'],
  ['unfulfilledPerUser', 'unfulfilled_per_user'],
] as const;

/** Everything about a change of such limits that the ledger would not take. */
export function orderLimitsViolations(change: OrderLimitsChange, skuId: string): Violation[] {
  const violations: Violation[] = [];
  for (const [name, field] of figures) {
    const value = change[name];
    if (value === undefined) continue;
    if (!(Number.isInteger(value) && value >= 0 && value <= MAX_LIMIT)) {
      violations.push({ field, description: `must be a whole number, 0 to ${MAX_LIMIT}` });
    }
    if (skuId !== '') violations.push({ field, description: 'is set for a store only' });
    if (change.groupId !== undefined && name !== 'perAttendeeLimit') {
      violations.push({ field, description: 'is set for a store, not for a group' });
    }
  }
  if (change.groupId === undefined) return violations;
  if (!isId(change.groupId)) {
    violations.push({ field: 'group_id', description: 'must be 1 to 128 printable ASCII characters without spaces' });
  }
  if (change.perAttendeeLimit === undefined) {
    violations.push({ field: 'per_attendee_limit', description: 'must say what the group may have' });
  }
  return violations;
}

export function toOrderLimits(row: OrderLimitsRow): OrderLimits {
  return {
    ...(row.per_attendee_limit !== null && { perAttendeeLimit: row.per_attendee_limit }),
    ...(row.open_orders_per_user !== null && { openOrdersPerUser: row.open_orders_per_user }),
    ...(row.unfulfilled_per_user !== null && { unfulfilledPerUser: row.unfulfilled_per_user }),
    groups: row.groups.map((group) => ({ groupId: group.group_id, perAttendeeLimit: group.per_attendee_limit })),
  };
}
