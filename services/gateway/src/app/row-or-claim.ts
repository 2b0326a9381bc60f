import type { Order } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import { Fault } from '#libs/refusal/fault.js';
import { isOrderId } from '../domain/fields.js';

/** Where an order was found: decided, with a row, or still a claim in the journal. */
export type RowOrClaim<Row> = { readonly row: Row } | { readonly claim: Order };

/**
 * Looks for an order where it can be: its row, else the journal, else its row again. A claim leaves the journal only after
 * its row was committed, so an order that exists is not missed by all three. Rejects with ORDER_NOT_FOUND.
 */
export async function rowOrClaim<Row>(
  orderId: string,
  readRow: () => Promise<Row | undefined>,
  readClaim: () => Promise<Order | undefined>,
): Promise<RowOrClaim<Row>> {
  if (!isOrderId(orderId)) throw orderNotFound(orderId);
  const row = await readRow();
  if (row !== undefined) return { row };
  const claim = await readClaim();
  if (claim !== undefined) return { claim };
  const decidedMeanwhile = await readRow();
  if (decidedMeanwhile !== undefined) return { row: decidedMeanwhile };
  throw orderNotFound(orderId);
}

/** For verbs that need a row: an order that is only a claim is ORDER_PENDING, worth another try soon. */
export function rowOf<Row>(found: RowOrClaim<Row>): Row {
  if ('row' in found) return found.row;
  throw new Fault('ORDER_PENDING', 'The order is not decided yet', { metadata: { order_id: found.claim.orderId } });
}

function orderNotFound(orderId: string): Fault {
  return new Fault('ORDER_NOT_FOUND', 'There is no such order', { metadata: { order_id: orderId } });
}
