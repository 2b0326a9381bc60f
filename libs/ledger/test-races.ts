import { randomUUID } from 'node:crypto';
import { Fault } from '#libs/refusal/fault.js';
import { assert } from '#libs/testing/suite.js';
import type { LedgerOrder } from './rows.js';
import { claimOf, lineOf, only, type TestLedger } from './test-ledger.js';
import { together } from './test-payments.js';

/** How often each race is run. */
export const rounds = 200;

/** Runs all at one moment and leaves out what the state of the order does not allow any more. */
export async function race(acts: readonly (() => Promise<unknown>)[]): Promise<void> {
  const allowed = (act: () => Promise<unknown>) => () =>
    act().catch((error: unknown) => {
      assert.ok(error instanceof Fault && error.reason === 'ORDER_STATE', String(error));
    });
  await together(acts.map(allowed));
}

/** A hold of two units of a user of its own. */
export function heldOf(db: TestLedger, skuId: string): Promise<LedgerOrder> {
  const user = randomUUID();
  return db.order(claimOf(user, [lineOf(skuId, user, 2)]));
}

/** The order as it ended: of its money, what pays a live order goes back never, all other once. */
export async function settled(db: TestLedger, order: LedgerOrder): Promise<LedgerOrder> {
  const now = await db.ledger.orderGet(order.orderId);
  const isPaid = now.state === 'CONFIRMED' || now.state === 'FULFILLED';
  const rows = await db.sql<{ state: string }>('SELECT state FROM ledger.payments WHERE order_id = $1', [now.orderId]);
  for (const { state } of rows) assert.is(state, isPaid ? 'CAPTURED' : 'REFUND_DUE');
  const asked = await db.sql<{ count: number }>(
    `SELECT count(*)::int AS count FROM ledger.outbox WHERE kind = 'REFUND' AND order_id = $1`,
    [now.orderId],
  );
  assert.is(only(asked).count, isPaid ? 0 : rows.length);
  return now;
}
