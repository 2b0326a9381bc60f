import { bearerOf } from '#libs/testing/test-issuer.js';
import type { LedgerWitness } from './ledger-witness.js';

/** Cancels one order of a sku in its user's name, and resolves with the Unix milliseconds at which the ledger released it. */
export async function releaseOne(url: string, witness: LedgerWitness, skuId: string): Promise<number> {
  const { order_id: orderId, user_id: userId } = await witness.confirmedOrder(skuId);
  const answer = await fetch(`${url}/v1/orders/${orderId}:cancel`, {
    method: 'POST',
    headers: { authorization: bearerOf(userId), 'idempotency-key': `release-${orderId}` },
  });
  if (!answer.ok) throw new Error(`the order was not cancelled: ${answer.status} ${await answer.text()}`);
  return witness.releasedAtMs(orderId);
}
