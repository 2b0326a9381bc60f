import { Fault } from '#libs/refusal/fault.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import type { LedgerOrder } from './rows.js';
import { claimOf, type TestLedger, testLedger } from './test-ledger.js';
import { paymentOf, together } from './test-payments.js';

const test = suite('payment attempts');
let db: TestLedger;

test.before(async () => {
  db = await testLedger();
});
test.after.each(async () => assert.equal(await db.violations(), []));
test.after(() => db.drop());

const held = async (): Promise<LedgerOrder> => {
  const { skuId } = await db.sku({ capacity: 1 });
  return db.order(claimOf('ann', skuId));
};
const start = (orderId: string, provider = 'bank', requestId = 'r') =>
  db.ledger.paymentStart({ orderId, provider, requestId });

test('an order has one open attempt: asked again it is the same, with another provider it is another', async () => {
  const { orderId, expiresAt } = await held();
  const first = await start(orderId, 'bank', 'one');
  assert.equal([first.isNew, first.attempt.attempt, first.attempt.endsAt], [true, 1, expiresAt]);
  assert.equal((await start(orderId, 'bank', 'two')).attempt, first.attempt);
  const sessions = ['s-1', 's-2'].map((sessionId) => ({
    sessionId,
    parameters: { token: sessionId },
    url: 'https://x',
  }));
  for (const session of sessions) {
    assert.is((await db.ledger.paymentSessionSet(orderId, 1, session)).sessionId, 's-1');
  }
  const other = await start(orderId, 'wallet', 'three');
  assert.equal([other.isNew, other.attempt.attempt], [true, 2]);
  assert.equal((await start(orderId, 'bank', 'one')).attempt.state, 'ENDED');
  const [ended, ...rest] = await db.ledger.paymentSessionsToEnd(10);
  assert.equal([ended?.orderId, ended?.sessionId, rest], [orderId, 's-1', []]);
  await db.ledger.paymentSessionEnded(orderId, 1);
  assert.equal(await db.ledger.paymentSessionsToEnd(10), []);
});

test('8 starts at once make one attempt', async () => {
  const { orderId } = await held();
  const starts = await together(Array.from({ length: 8 }, (_, n) => () => start(orderId, 'bank', `r-${n}`)));
  assert.is(starts.filter(({ isNew }) => isNew).length, 1);
  assert.equal(new Set(starts.map(({ attempt }) => attempt.attempt)), new Set([1]));
});

test("what cannot be paid is not begun: ended, lapsed, confirmed, another user's", async () => {
  const reasonOf = async (work: Promise<unknown>) => (await rejectionOf(work, Fault)).reason;
  const order = await held();
  const { orderId } = order;
  const another = db.ledger.paymentStart({ orderId, userId: 'bob', provider: 'bank', requestId: 'r' });
  assert.is(await reasonOf(another), 'ORDER_NOT_FOUND');
  await start(orderId, 'bank', 'one');
  await db.ledger.paymentSessionSet(orderId, 1, { sessionId: orderId, parameters: {} });
  await db.expire(orderId);
  assert.is(await reasonOf(start(orderId, 'bank', 'two')), 'ORDER_STATE');
  // I02: the provider is told that nobody pays there any more.
  await db.ledger.ordersExpire(100);
  assert.equal(
    (await db.ledger.paymentSessionsToEnd(10)).map(({ sessionId }) => sessionId),
    [orderId],
  );
  await db.ledger.paymentSessionEnded(orderId, 1);
  const paid = await held();
  await db.ledger.paymentConfirm(paymentOf(paid));
  assert.is(await reasonOf(start(paid.orderId)), 'ORDER_STATE');
});

test.run();
