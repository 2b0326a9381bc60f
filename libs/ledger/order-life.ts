import type { OrderLine } from '#libs/contracts/order-lines.js';
import { retryConflicts } from '#libs/postgres/errors.js';
import { Fault } from '#libs/refusal/fault.js';
import { functionCall, type LedgerPool } from './ledger-pool.js';
import { type Caller, callerValues, requestReused, tooLate } from './order-changes.js';
import { notFound, orderState } from './orders.js';
import { type LedgerOrder, type OrderRow, toOrder } from './rows.js';

const ATTEMPTS = 5;
const cancelPart = functionCall('order_cancel_part', 9);
const fulfil = functionCall('order_fulfil', 4);
const extend = functionCall('hold_extend', 2);

/** An order as it is now, and whether this call changed it. */
export interface ChangedOrder {
  order: LedgerOrder;
  changed: boolean;
}

/** What a function that changes an order gives. */
export interface ChangedRow<Outcome extends string> {
  outcome: Outcome;
  order_row: OrderRow | null;
}

type FulfilOutcome = 'FULFILLED' | 'UNCHANGED' | 'REFUSED';
type ExtendOutcome = 'EXTENDED' | 'UNCHANGED' | 'REFUSED';

/** The calls that change an order and keep its state, or note that it was used. BUSY and UNAVAILABLE as every call. */
export function orderLifeCalls(pool: LedgerPool) {
  return {
    /**
     * Gives some units of a HELD or CONFIRMED order back; all of them end the order. What was paid for them is
     * due for refund as the terms of their skus say. The same request again changes nothing.
     *
     * Errors: Fault ORDER_NOT_FOUND; ORDER_STATE; CANCEL_TOO_LATE; INVALID_REQUEST when the order has not so many units of
     * a line; REQUEST_ID_REUSED.
     */
    async orderCancelPart(
      wanted: Caller & { orderId: string; lines: readonly OrderLine[]; reason?: string; requestId: string },
    ): Promise<ChangedOrder> {
      const { orderId, lines, reason, requestId } = wanted;
      type Outcome = 'CANCELLED' | 'UNCHANGED' | 'REFUSED' | 'TOO_LATE' | 'NOT_IN_ORDER' | 'REUSED' | 'NOT_FOUND';
      const { userId, role, by } = callerValues(wanted);
      const columns = [lines.map((line) => line.skuId), lines.map((line) => line.attendeeId)];
      const quantities = lines.map((line) => line.quantity);
      const values = [orderId, userId, reason ?? null, role, by, ...columns, quantities, requestId];
      const row = await changeOrder<ChangedRow<Outcome>>(pool, cancelPart, values, orderId);
      if (row.outcome === 'REFUSED') throw orderState(row.order, 'cannot be cancelled in part');
      if (row.outcome === 'TOO_LATE') throw tooLate(orderId);
      if (row.outcome === 'NOT_IN_ORDER') throw notInOrder('lines');
      if (row.outcome === 'REUSED') throw requestReused();
      return { order: row.order, changed: row.outcome === 'CANCELLED' };
    },

    /**
     * Notes that a CONFIRMED order was used, by its id or by its code, as a person reads it: case does not count, nor do O
     * and 0, or I, L and 1. Again the same: `changed` is false, and `order.fulfilledAt` says when it was.
     *
     * Errors: Fault ORDER_NOT_FOUND; ORDER_STATE.
     */
    async orderFulfil(
      which: { orderId: string } | { storeId: string; code: string },
      by: string,
    ): Promise<ChangedOrder> {
      const key = 'orderId' in which ? [which.orderId, null, null] : [null, which.storeId, toCode(which.code)];
      const row = await changeOrder<ChangedRow<FulfilOutcome>>(pool, fulfil, [...key, by], key[0] ?? '');
      if (row.outcome === 'REFUSED') throw orderState(row.order, 'cannot be fulfilled');
      return { order: row.order, changed: row.outcome === 'FULFILLED' };
    },

    /**
     * Gives a hold more time, once, while an attempt to pay it is open: as long as its shortest holdTtlSeconds, 600 s at most.
     *
     * Errors: Fault ORDER_NOT_FOUND; ORDER_STATE when it is not HELD, past its expiry, or nobody pays it.
     */
    async holdExtend(orderId: string, userId?: string): Promise<ChangedOrder> {
      const row = await changeOrder<ChangedRow<ExtendOutcome>>(pool, extend, [orderId, userId ?? null], orderId);
      if (row.outcome === 'REFUSED')
        throw orderState(row.order, 'cannot be extended: it is held while it is being paid');
      return { order: row.order, changed: row.outcome === 'EXTENDED' };
    },
  };
}

/** Runs a function that changes an order. Fault ORDER_NOT_FOUND when it gives none. */
export async function changeOrder<Row extends ChangedRow<string>>(
  pool: LedgerPool,
  statement: typeof extend,
  values: readonly unknown[],
  orderId: string,
): Promise<Row & { order: LedgerOrder }> {
  const [row] = await retryConflicts(() => pool.query<Row>(statement, values), ATTEMPTS);
  if (!row?.order_row) throw notFound(orderId);
  return { ...row, order: toOrder(row.order_row) };
}

function toCode(written: string): string {
  return written.toUpperCase().replaceAll(/[\s-]/g, '').replaceAll('O', '0').replaceAll(/[IL]/g, '1');
}

/** Said of units that an order has not. */
export function notInOrder(field: string): Fault {
  return new Fault('INVALID_REQUEST', 'the order has no such units', {
    violations: [{ field, description: 'must be units that the order has' }],
  });
}
