import { Fault } from '#libs/refusal/fault.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import { claimOf, type TestLedger, testLedger } from './test-ledger.js';

const test = suite('orders');
let db: TestLedger;

test.before(async () => {
  db = await testLedger();
});
test.after(() => db.drop());

async function held(user: string, skuId: string): Promise<string> {
  const [decision] = await db.ledger.claimsAdmit([claimOf(user, skuId)]);
  if (decision?.kind !== 'ORDER') throw new Error(JSON.stringify(decision));
  return decision.orderId;
}

test('a payment confirms a hold once', async () => {
  const { skuId } = await db.sku();
  const orderId = await held('ann', skuId);
  const payment = { orderId, provider: 'p', providerPaymentId: orderId, amountMinor: 1_500, currency: 'EUR' };
  const first = await db.ledger.paymentConfirm(payment);
  assert.is(first.order.state, 'CONFIRMED');
  assert.is(first.paymentState, 'CAPTURED');
  assert.equal(await db.ledger.paymentConfirm(payment), first);
  const other = await db.ledger.paymentConfirm({ ...payment, providerPaymentId: `${orderId}-2` });
  assert.is(other.paymentState, 'REFUND_DUE');
  assert.equal(other.order, first.order);
});

test('a cancelled order gives its units back once', async () => {
  const { skuId } = await db.sku({ capacity: 1 });
  const orderId = await held('ann', skuId);
  assert.is((await db.ledger.orderCancel({ orderId, userId: 'ann', reason: 'ill' })).changed, true);
  assert.is((await db.ledger.orderCancel({ orderId })).changed, false);
  const { skus } = await db.ledger.stockRead([skuId]);
  assert.is(skus[0]?.free, 1);
  await held('bob', skuId);
  assert.is((await rejectionOf(db.ledger.orderCancel({ orderId, userId: 'bob' }), Fault)).reason, 'ORDER_NOT_FOUND');
});

test('a hold past its expiry is closed', async () => {
  const { skuId } = await db.sku();
  const orderId = await held('ann', skuId);
  await db.sql(`UPDATE ledger.orders SET expires_at = now() - interval '1 s' WHERE order_id = $1`, [orderId]);
  const report = await db.ledger.ordersExpire(10);
  assert.is(report.expired, 1);
  assert.equal(report.freedSkus, [{ storeId: 'store-1', skuId }]);
  assert.is((await db.ledger.orderGet(orderId)).state, 'EXPIRED');
});

test('lists come in pages, newest first', async () => {
  const { skuId } = await db.sku();
  for (const user of ['u1', 'u2', 'u3']) await held(user, skuId);
  const one = await db.ledger.ordersListBySku(skuId, { pageSize: 2 });
  const two = await db.ledger.ordersListBySku(skuId, { pageSize: 2, pageToken: one.nextPageToken });
  assert.equal(
    [...one.orders, ...two.orders].map((order) => order.userId),
    ['u3', 'u2', 'u1'],
  );
  assert.is(two.nextPageToken, '');
  assert.is((await db.ledger.ordersListByUser('u2', {})).orders.length, 1);
});

test('the outbox gives what is not published', async () => {
  const taken = await db.ledger.outboxTake(100);
  assert.ok(taken.length > 5);
  await db.ledger.outboxMarkPublished(taken.map((entry) => entry.id));
  assert.equal(await db.ledger.outboxTake(100), []);
});

test('a due job is run by one', async () => {
  const claims = await Promise.all([1, 2, 3, 4].map(() => db.ledger.jobClaim('expire', 60_000)));
  assert.is(claims.filter(Boolean).length, 1);
  assert.is((await db.ledger.jobSetPaused('expire', true, 'looking')).pauseReason, 'looking');
  assert.ok(await db.ledger.jobClaim('expire', 1, { forced: true }));
  await db.ledger.jobFinish('expire', 'nothing to do', { nextInMs: 10 });
  assert.is((await db.ledger.jobsRead())[0]?.lastResult, 'nothing to do');
});

test('skus are imported, listed and found before they open', async () => {
  const { skuId } = await db.sku({ onSaleAt: new Date(Date.now() + 30_000) });
  assert.equal((await db.ledger.skusOpening(60)).skuIds, [skuId]);
  assert.ok((await db.ledger.skusOpening(1)).nextOpeningAt);
  const { overbooked, etag, ...sku } = (await db.ledger.skuGet(skuId)).sku;
  const [a, b, c] = await db.ledger.skusImport([
    { sku: { ...sku, skuId: 'imported' } },
    { sku: { ...sku, capacity: -1 } },
    { sku: { ...sku, title: 'changed' }, etag },
  ]);
  assert.is(a instanceof Fault ? a.reason : a?.outcome, 'CREATED');
  assert.is(b instanceof Fault ? b.reason : b?.outcome, 'INVALID_REQUEST');
  assert.is(c instanceof Fault ? c.reason : c?.outcome, 'CHANGED');
  assert.is((await db.ledger.skusList('store-1', { pageSize: 2 })).skus.length, 2);
  assert.is(overbooked, 0);
});

test('a claim that cannot be processed is buried', async () => {
  const { skuId } = await db.sku();
  const claim = claimOf('ann', skuId);
  const letter = { subject: 'claims.0', payload: Buffer.from('x'), error: 'broken' };
  const decision = await db.ledger.claimBury({ claim, ...letter });
  assert.is(decision.kind === 'REFUSED' && decision.refusal.reason, 'UNPROCESSABLE');
  assert.equal(await db.ledger.claimsAdmit([claim]), [decision]);
});

test.run();
