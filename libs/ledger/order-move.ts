import type { Refusal } from '#libs/refusal/refusal.js';
import { functionCall, type LedgerPool } from './ledger-pool.js';
import { type Caller, callerValues, requestReused, tooLate } from './order-changes.js';
import { type ChangedRow, changeOrder, notInOrder } from './order-life.js';
import { orderState } from './orders.js';
import { type LedgerOrder, type RefusalRow, toRefusal } from './rows.js';
import { skuNotFound } from './sku-put.js';

const move = functionCall('order_move', 7);

/** What became of a move. REFUSED: nothing has changed. */
export type MoveResult =
  | { kind: 'MOVED' | 'UNCHANGED'; order: LedgerOrder }
  | { kind: 'REFUSED'; refusal: Refusal; order: LedgerOrder };

type MoveOutcome = MoveResult['kind'] | 'ORDER_STATE' | 'TOO_LATE' | 'NOT_IN_ORDER' | 'SKU_NOT_FOUND' | 'REUSED';

interface MovedRow extends ChangedRow<MoveOutcome> {
  detail: RefusalRow | null;
}

/** The call that moves an order. BUSY and UNAVAILABLE as every call. */
export function orderMoveCalls(pool: LedgerPool) {
  return {
    /** Moves all units that an order has of one sku to another one of its store: see `moveResult`. */
    async orderMove(
      wanted: Caller & { orderId: string; fromSkuId?: string; toSkuId: string; requestId: string },
    ): Promise<MoveResult> {
      const { orderId, fromSkuId, toSkuId, requestId } = wanted;
      const { userId, role, by } = callerValues(wanted);
      const values = [orderId, userId, fromSkuId ?? null, toSkuId, role, by, requestId];
      return moveResult(await changeOrder<MovedRow>(pool, move, values, orderId), toSkuId);
    },
  };
}

/**
 * MOVED and UNCHANGED give the order; REFUSED the terms, the limit, PRICE_DIFFERS, or that too few are free.
 *
 * Errors: Fault ORDER_NOT_FOUND; ORDER_STATE; CANCEL_TOO_LATE when a user could not cancel the old unit for free any more;
 * SKU_NOT_FOUND; INVALID_REQUEST when the order has no unit of the sku, or of several and none is named; REQUEST_ID_REUSED.
 */
function moveResult({ outcome, detail, order }: MovedRow & { order: LedgerOrder }, toSkuId: string): MoveResult {
  if (outcome === 'ORDER_STATE') throw orderState(order, 'cannot be moved');
  if (outcome === 'TOO_LATE') throw tooLate(order.orderId);
  if (outcome === 'NOT_IN_ORDER') throw notInOrder('from_sku_id');
  if (outcome === 'SKU_NOT_FOUND') throw skuNotFound(toSkuId);
  if (outcome === 'REUSED') throw requestReused();
  if (outcome !== 'REFUSED') return { kind: outcome, order };
  if (!detail) throw new Error('order_move refused without a reason');
  return { kind: outcome, refusal: toRefusal(detail), order };
}
