import type { Ledger } from '#libs/ledger/ledger.js';
import { notFound } from '#libs/ledger/orders.js';
import type { LedgerOrder } from '#libs/ledger/rows.js';
import { Fault } from '#libs/refusal/fault.js';

const orderIdForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** One order. Another user's is answered like one that nobody has; without a user all may be seen. */
export async function getOrder(
  ledger: Pick<Ledger, 'orderGet'>,
  orderId: string,
  userId: string | undefined,
): Promise<LedgerOrder> {
  refuseImpossible(orderId);
  return await ledger.orderGet(orderId, userId);
}

/** An order of one of the stores. Any other's is answered like one that nobody has. */
export async function orderOfStores(
  ledger: Pick<Ledger, 'orderGet'>,
  orderId: string,
  stores: readonly string[],
): Promise<LedgerOrder> {
  const order = await getOrder(ledger, orderId, undefined);
  if (stores.includes(order.storeId)) return order;
  throw notFound(orderId);
}

/** What does not look like an order id names no order, which is no mistake in the request. */
export function refuseImpossible(orderId: string): void {
  if (orderIdForm.test(orderId)) return;
  throw new Fault('ORDER_NOT_FOUND', 'there is no such order', { metadata: { order_id: orderId.slice(0, 128) } });
}
