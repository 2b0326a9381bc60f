import { randomUUID } from 'node:crypto';
import { Fault } from '#libs/refusal/fault.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import type { LedgerOrder, Sku } from './rows.js';
import type { SkuChange } from './sku-control.js';
import { claimOf, lineOf, refusalOf, type TestLedger, testLedger } from './test-ledger.js';
import { joined, statesOf as waitersOf, waitingSku } from './test-waitlist.js';

const test = suite('cancelled sales');
let db: TestLedger;

test.before(async () => {
  db = await testLedger();
});
test.after.each(async () => assert.equal(await db.violations(), []));
test.after(() => db.drop());

const cancel = (sku: Sku, parts: Partial<SkuChange> = {}) =>
  db.ledger.skuCancel({ ...sku, operator: 'olga', reason: 'the teacher is ill', requestId: randomUUID(), ...parts });

async function endAll(batchSize = 500): Promise<number> {
  let cancelled = 0;
  for (let more = true; more; ) {
    const ended = await db.ledger.cancelledSalesEnd(batchSize);
    assert.ok(ended.cancelled <= batchSize);
    cancelled += ended.cancelled;
    more = ended.more;
  }
  return cancelled;
}

function pay({ orderId, amountMinor, currency }: LedgerOrder) {
  const paid = { orderId, provider: 'bank', providerPaymentId: randomUUID(), amountMinor, currency };
  return db.ledger.paymentConfirm(paid);
}

async function orders(sku: Sku, count: number): Promise<LedgerOrder[]> {
  const claims = Array.from({ length: count }, () => claimOf(randomUUID(), sku.skuId));
  return Promise.all(claims.map((claim) => db.order(claim)));
}

const statesOf = async (of: readonly LedgerOrder[]): Promise<Set<string>> =>
  new Set((await db.ledger.ordersRead(of.map(({ orderId }) => orderId))).map(({ state }) => state));

test('from the moment a sale is cancelled nobody buys, whatever its terms, and all that was bought is given back', async () => {
  const sku = await db.sku({ capacity: 7 });
  const all = await orders(sku, 7);
  for (const order of all.slice(0, 3)) await pay(order);
  const cancelled = await cancel(sku);
  assert.is(cancelled.changed, true);
  assert.ok(cancelled.sku.cancelledAt);
  assert.equal(cancelled.stock.cancelledAt, cancelled.sku.cancelledAt);
  const no = { reason: 'SALE_CANCELLED', skuId: sku.skuId };
  assert.equal(refusalOf(await db.admit(claimOf('ann', sku.skuId))), no);
  const claim = claimOf('ben', sku.skuId);
  const parked = (await db.ledger.parkedRead([claim])).words[0]?.no;
  assert.equal(parked && refusalOf(parked), no);
  assert.is(await endAll(2), 7);
  assert.equal(await statesOf(all), new Set(['CANCELLED']));
  const { free, held, sold } = await db.stock(sku.skuId);
  assert.equal([free, held, sold], [7, 0, 0]);
  const due = await db.sql<{ state: string }>(
    `SELECT p.state FROM ledger.payments AS p JOIN ledger.order_lines AS l ON l.order_id = p.order_id
     WHERE l.sku_id = $1`,
    [sku.skuId],
  );
  assert.equal(
    due.map(({ state }) => state),
    ['REFUND_DUE', 'REFUND_DUE', 'REFUND_DUE'],
  );
  assert.equal(refusalOf(await db.admit(claimOf('cleo', sku.skuId))), no);
});

test('what was used stays, other sales stay, and a second run finds nothing', async () => {
  const [sku, other] = [await db.sku({ paymentRequired: false }), await db.sku()];
  const [used, unused] = await orders(sku, 2);
  const [others] = await orders(other, 1);
  if (!used || !unused || !others) throw new Error('three orders');
  await db.sql(`SELECT ledger.orders_transition('FULFIL', ARRAY[$1::uuid], NULL)`, [used.orderId]);
  await cancel(sku);
  assert.is(await endAll(), 1);
  assert.is(await endAll(), 0);
  const states = (await db.ledger.ordersRead([used, unused, others].map(({ orderId }) => orderId))).map(
    ({ orderId, state }) => [orderId, state],
  );
  assert.equal(Object.fromEntries(states), {
    [used.orderId]: 'FULFILLED',
    [unused.orderId]: 'CANCELLED',
    [others.orderId]: 'HELD',
  });
});

test('a run that dies in the middle changes nothing, and the next one goes on where the last one that lived had come', async () => {
  const sku = await db.sku({ capacity: 9 });
  const all = await orders(sku, 9);
  await cancel(sku);
  assert.is((await db.ledger.cancelledSalesEnd(3)).cancelled, 3);
  await db.sql(`DO $$ BEGIN PERFORM ledger.cancelled_sales_end(3); RAISE EXCEPTION 'killed'; END $$`).catch(() => []);
  assert.equal(await statesOf(all), new Set(['CANCELLED', 'HELD']));
  assert.is(await endAll(3), 6);
  const [row] = await db.sql<{ orders_cancelled: number; done: boolean }>(
    'SELECT orders_cancelled, done_at IS NOT NULL AS done FROM ledger.cancelled_sales WHERE sku_id = $1',
    [sku.skuId],
  );
  assert.equal(row, { orders_cancelled: 9, done: true });
});

test('buyers, payers and two runs at one moment: whoever was let in is given back once, nobody later is let in', async () => {
  for (let round = 0; round < 20; round++) {
    const sku = await db.sku({ capacity: 12 });
    const early = await orders(sku, 4);
    const late = Array.from({ length: 8 }, () => claimOf(randomUUID(), sku.skuId));
    const [, ...decisions] = await Promise.all([
      cancel(sku),
      ...late.map((claim) => db.admit(claim)),
      ...early.map(pay),
    ]);
    await Promise.all([
      endAll(2),
      endAll(3),
      ...early.slice(0, 2).map(({ orderId }) => db.ledger.orderCancel({ orderId })),
    ]);
    await endAll();
    const decided = decisions.flatMap((decision) =>
      'kind' in decision && decision.kind === 'ORDER' ? [decision.order] : [],
    );
    assert.equal(await statesOf([...early, ...decided]), new Set(['CANCELLED']), `round ${round}`);
    assert.is((await db.stock(sku.skuId)).free, 12);
  }
});

test('the same request again, and a second one, change nothing; another store has no such sku', async () => {
  const sku = await db.sku();
  const requestId = randomUUID();
  assert.is((await cancel(sku, { requestId })).changed, true);
  assert.is((await cancel(sku, { requestId })).changed, false);
  assert.is((await cancel(sku)).changed, false);
  const reused = await rejectionOf(cancel(sku, { requestId, reason: 'another' }), Fault);
  assert.is(reused.reason, 'REQUEST_ID_REUSED');
  const strange = await rejectionOf(cancel(sku, { storeId: 'store-2' }), Fault);
  assert.is(strange.reason, 'SKU_NOT_FOUND');
  const changes = await db.sql<{ was: string }>(
    `SELECT was FROM ledger.control_changes WHERE scope_id = $1 AND what = 'CANCEL' ORDER BY id`,
    [sku.skuId],
  );
  assert.equal(
    changes.map(({ was }) => was),
    ['on sale', 'cancelled'],
  );
});

test('a cancelled sale stays cancelled through a change of its terms, a resume and an import', async () => {
  const sku = await db.sku({ paused: true });
  const { sku: cancelled } = await cancel(sku);
  const { cancelledAt: _, overbooked: __, etag, ...read } = cancelled;
  const { sku: put } = await db.ledger.skuPut({ ...read, capacity: 20, paused: false }, etag);
  assert.equal(put.cancelledAt, cancelled.cancelledAt);
  await db.ledger.skusImport([{ sku: { ...read, capacity: 30 }, etag: put.etag }]);
  const { sku: now } = await db.ledger.skuGet(sku.skuId);
  assert.equal([now.capacity, now.cancelledAt], [30, cancelled.cancelledAt]);
  assert.is(refusalOf(await db.admit(claimOf('ann', sku.skuId))).reason, 'SALE_CANCELLED');
});

test('who waits for a sale that is cancelled is offered nothing of it, and the wait ends', async () => {
  const { holders, ...sku } = await waitingSku(db, { capacity: 2 });
  const [offered, waiting] = [await joined(db, 'ann', sku.skuId), await joined(db, 'ben', sku.skuId)];
  await db.ledger.orderCancel(holders[0]);
  await cancel(sku);
  assert.is(refusalOf(await db.admit(claimOf('cleo', sku.skuId))).reason, 'SALE_CANCELLED');
  assert.is(await endAll(), 2);
  await db.ledger.waitlistEnd(100);
  assert.equal(await waitersOf(db, [offered, waiting]), ['DECLINED', 'ENDED']);
  const { free, reserved, held } = await db.stock(sku.skuId);
  assert.equal([free, reserved, held], [2, 0, 0]);
});

test('an order of two skus keeps the one that is sold on, held or paid, and its money in part', async () => {
  const [sku, other] = [await db.sku(), await db.sku()];
  const both = (user: string) => db.order(claimOf(user, [lineOf(sku.skuId, user), lineOf(other.skuId, user)]));
  const [held, paid, lapsed] = [await both('dora'), await both('emil'), await both('fay')];
  await pay(paid);
  await db.expire(lapsed.orderId);
  await cancel(sku);
  assert.is(await endAll(), 3);
  assert.is(await endAll(), 0);
  for (const [{ orderId }, state] of [
    [held, 'HELD'],
    [paid, 'CONFIRMED'],
  ] as const) {
    const order = await db.ledger.orderGet(orderId);
    assert.equal([order.state, order.lines.map(({ skuId }) => skuId)], [state, [other.skuId]]);
    assert.is(order.amountMinor, 1_500);
  }
  assert.is((await db.ledger.orderGet(lapsed.orderId)).state, 'CANCELLED');
  const refunds = await db.sql<{ amount: number }>(
    'SELECT amount_minor::int AS amount FROM ledger.refunds WHERE order_id = $1',
    [paid.orderId],
  );
  assert.equal(refunds, [{ amount: 1_500 }]);
  assert.equal([(await db.stock(sku.skuId)).free, (await db.stock(other.skuId)).free], [10, 8]);
});

test.run();
