import { assert, suite } from '#libs/testing/suite.js';
import type { Sku } from './rows.js';
import { type TestLedger, testLedger } from './test-ledger.js';
import { paymentOf } from './test-payments.js';
import { heldOf, race, rounds, settled } from './test-races.js';

const test = suite('races in the life of an order');
let db: TestLedger;

test.before(async () => {
  db = await testLedger({ max: 8 });
});
test.after.each(async () => assert.equal(await db.violations(), []));
test.after(() => db.drop());

/** Enough units for all rounds of a race. */
const sku = (parts: Parameters<TestLedger['sku']>[0] = {}): Promise<Sku> =>
  db.sku({ capacity: 2 * rounds, perUserLimit: 2, ...parts });

test('A32: a payment and the sweeper meet at the deadline: each order ends once, and its units with it', async () => {
  const { skuId } = await sku({ latePayment: 'REFUND' });
  for (let round = 0; round < rounds; round++) {
    const order = await heldOf(db, skuId);
    await db.expire(order.orderId, 0);
    const capturedAt = new Date(Date.now() - 1_000);
    await race([
      () => db.ledger.ordersExpire(100),
      () => db.ledger.paymentConfirm({ ...paymentOf(order), capturedAt }),
      () => db.ledger.ordersExpire(100),
    ]);
    const { state, version } = await settled(db, order);
    assert.ok(state === 'CONFIRMED' || state === 'EXPIRED', state);
    assert.is(version, 2);
  }
});

test('a cancel and a payment meet: confirmed and then cancelled, or cancelled and then taken anew or refunded', async () => {
  const { skuId } = await sku({ latePayment: 'REFUND' });
  for (let round = 0; round < rounds; round++) {
    const order = await heldOf(db, skuId);
    const { orderId } = order;
    await race([() => db.ledger.orderCancel({ orderId }), () => db.ledger.paymentConfirm(paymentOf(order))]);
    const { state, version } = await settled(db, order);
    assert.is(state, 'CANCELLED');
    assert.ok(version === 2 || version === 3);
  }
});

test('A06, A35: two cancels and a payment meet: the units come back once', async () => {
  const { skuId } = await sku();
  for (let round = 0; round < rounds; round++) {
    const order = await heldOf(db, skuId);
    const { orderId } = order;
    await race([
      () => db.ledger.orderCancel({ orderId }),
      () => db.ledger.paymentConfirm(paymentOf(order)),
      () => db.ledger.orderCancel({ orderId }),
    ]);
    const { state } = await settled(db, order);
    const { sold, held: units } = await db.stock(skuId);
    assert.equal([units, sold], [0, state === 'CONFIRMED' ? 2 : 0]);
    await db.ledger.orderCancel({ orderId });
    assert.is((await db.stock(skuId)).free, 2 * rounds);
  }
});

test('an extension, the sweeper and a payment meet at the deadline', async () => {
  const { skuId } = await sku({ latePayment: 'REFUND' });
  for (let round = 0; round < rounds; round++) {
    const order = await heldOf(db, skuId);
    const { orderId } = order;
    await db.ledger.paymentStart({ orderId, provider: 'bank', requestId: 'r' });
    await db.expire(orderId, round % 2 === 0 ? 0 : -0.003);
    await race([
      () => db.ledger.holdExtend(orderId),
      () => db.ledger.ordersExpire(100),
      () => db.ledger.paymentConfirm({ ...paymentOf(order), attempt: 1 }),
    ]);
    await settled(db, order);
  }
});

test.run();
