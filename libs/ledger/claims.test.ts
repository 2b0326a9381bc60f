import { assert, suite } from '#libs/testing/suite.js';
import { claimOf, type TestLedger, testLedger } from './test-ledger.js';

const test = suite('claims');
let db: TestLedger;

test.before(async () => {
  db = await testLedger();
});
test.after(() => db.drop());

test('a claim becomes an order with a deadline', async () => {
  const { skuId } = await db.sku({ capacity: 2 });
  const [decision] = await db.ledger.claimsAdmit([claimOf('ann', skuId)]);
  if (decision?.kind !== 'ORDER') throw new Error(JSON.stringify(decision));
  assert.is(decision.order.state, 'HELD');
  assert.is(decision.order.amountMinor, 1_500);
  const [read] = await db.ledger.ordersRead([decision.orderId]);
  assert.equal(read, decision.order);
});

test('the last unit goes to one, and the others hear when it may come back', async () => {
  const { skuId } = await db.sku({ capacity: 1 });
  const [first, second] = await db.ledger.claimsAdmit([claimOf('ann', skuId), claimOf('bob', skuId)]);
  if (first?.kind !== 'ORDER' || second?.kind !== 'REFUSED') throw new Error('not as expected');
  assert.equal(second.refusal, { reason: 'ALL_HELD', skuId, nextReleaseAt: first.order.expiresAt });
  assert.is(second.recorded, true);
  const known = await db.ledger.parkedRead({ claims: [], skuIds: [skuId], attendees: [{ skuId, attendeeId: 'ann' }] });
  assert.equal(known.units, [{ skuId, attendeeId: 'ann', units: 1 }]);
  assert.is(known.skus[0]?.held, 1);
});

test.run();
