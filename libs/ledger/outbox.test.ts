import pg from 'pg';
import { assert, suite } from '#libs/testing/suite.js';
import { claimsBatch } from './claims-batch.js';
import { functionCall } from './ledger-pool.js';
import { claimOf, lineOf, type TestLedger, testLedger } from './test-ledger.js';

const test = suite('outbox');
let db: TestLedger;

test.before(async () => {
  db = await testLedger();
});
test.before.each(async () => {
  await db.ledger.outboxMarkPublished((await db.ledger.outboxTake(10_000)).map((entry) => entry.id));
});
test.after(() => db.drop());

test('each change of an order is told once, with the order it is about', async () => {
  const { skuId } = await db.sku();
  const order = await db.order(claimOf('ann', [lineOf(skuId, 'kid'), lineOf(skuId, 'ann')]));
  await db.ledger.orderCancel({ orderId: order.orderId });
  const [held, cancelled, ...rest] = await db.ledger.outboxTake(10);
  const about = {
    orderId: order.orderId,
    storeId: 'store-1',
    userId: 'ann',
    lines: [lineOf(skuId, 'ann'), lineOf(skuId, 'kid')],
  };
  assert.equal(held, { ...about, kind: 'ORDER', id: held?.id, version: 1, state: 'HELD', at: order.createdAt });
  const heldSeconds = ((cancelled?.at.getTime() ?? 0) - order.createdAt.getTime()) / 1_000;
  const moved = cancelled?.kind === 'ORDER' ? cancelled.moved : undefined;
  assert.equal([moved?.reason, moved?.released], ['CANCEL', 2]);
  assert.ok(Math.abs((moved?.heldSeconds ?? -1) - heldSeconds) < 0.002);
  assert.equal(cancelled, {
    ...about,
    kind: 'ORDER',
    id: cancelled?.id,
    version: 2,
    state: 'CANCELLED',
    at: cancelled?.at,
    moved,
  });
  assert.equal(rest, []);
});

test('a refusal is no news', async () => {
  const { skuId } = await db.sku({ capacity: 0 });
  await db.admit(claimOf('ann', skuId));
  assert.equal(await db.ledger.outboxTake(10), []);
});

test('F14: what failed stays the first to be taken, and nothing behind it is lost', async () => {
  const { skuId } = await db.sku();
  for (const user of ['a', 'b', 'c']) await db.order(claimOf(user, skuId));
  const [first, second, third] = await db.ledger.outboxTake(10);
  await db.ledger.outboxMarkPublished([second?.id ?? 0, third?.id ?? 0]);
  await db.ledger.outboxMarkPublished([second?.id ?? 0]);
  assert.equal(await db.ledger.outboxTake(10), [first]);
});

test('F15: a lower id that is committed later is not skipped', async () => {
  const { skuId } = await db.sku();
  const other = await db.sku();
  const slow = new pg.Client({ connectionString: db.url });
  await slow.connect();
  await slow.query('BEGIN');
  await slow.query(functionCall('claims_admit', 16).text, claimsBatch([claimOf('slow', skuId)]).values);
  await db.order(claimOf('quick', other.skuId));
  const before = await db.ledger.outboxTake(10);
  await db.ledger.outboxMarkPublished(before.map((entry) => entry.id));
  await slow.query('COMMIT');
  await slow.end();
  const after = await db.ledger.outboxTake(10);
  assert.equal(
    [...before, ...after].map((entry) => entry.kind === 'ORDER' && entry.userId),
    ['quick', 'slow'],
  );
  assert.ok((after[0]?.id ?? 0) < (before[0]?.id ?? 0));
});

test('money that goes back is told once, with where it came from', async () => {
  const { skuId } = await db.sku();
  const { orderId } = await db.order(claimOf('ann', skuId));
  const payment = { provider: 'bank', providerPaymentId: orderId, amountMinor: 1_500, currency: 'EUR' };
  await db.ledger.paymentConfirm({ ...payment, orderId });
  for (const _ of [1, 2]) await db.ledger.orderCancel({ orderId });
  const refunds = (await db.ledger.outboxTake(10)).filter(({ kind }) => kind === 'REFUND');
  const about = { kind: 'REFUND', orderId, storeId: 'store-1', number: 1, reason: 'CANCELLED' };
  assert.equal(refunds, [{ ...about, ...payment, id: refunds[0]?.id, at: refunds[0]?.at }]);
});

test('nothing to mark is no question', async () => {
  await db.ledger.outboxMarkPublished([]);
});

test.run();
