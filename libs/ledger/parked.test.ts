import { assert, suite } from '#libs/testing/suite.js';
import { claimOf, lineOf, type TestLedger, testLedger } from './test-ledger.js';

const test = suite('parked reads');
let db: TestLedger;

test.before(async () => {
  db = await testLedger();
});
test.after(() => db.drop());

test('one read tells stock, units and what became of claims', async () => {
  const { skuId } = await db.sku({ capacity: 1 });
  const [held, refused, unknown] = ['ann', 'bob', 'cid'].map((user) => claimOf(user, skuId));
  if (!held || !refused || !unknown) throw new Error('three claims');
  const decisions = await db.ledger.claimsAdmit([held, refused]);
  const answer = await db.ledger.parkedRead({
    claims: [unknown, refused, held],
    skuIds: ['nothing', skuId],
    attendees: ['ann', 'bob'].map((attendeeId) => ({ skuId, attendeeId })),
  });
  assert.equal(answer.decisions, [undefined, ...decisions.toReversed()]);
  assert.equal(answer.units, [{ skuId, attendeeId: 'ann', units: 1 }]);
  const order = decisions[0]?.kind === 'ORDER' ? decisions[0].order : undefined;
  assert.equal(answer.skus, [{ ...(await db.stock(skuId)), free: 0, held: 1, nextReleaseAt: order?.expiresAt }]);
});

test('a known id that is asked for with other lines is said to be another request', async () => {
  const { skuId } = await db.sku({ perUserLimit: 2 });
  const claim = claimOf('ann', [lineOf(skuId, 'ann', 2)]);
  await db.order(claim);
  const ask = async (lines: typeof claim.lines) =>
    (await db.ledger.parkedRead({ claims: [{ ...claim, lines }], skuIds: [], attendees: [] })).decisions[0];
  const sameLines = await ask([lineOf(skuId, 'ann'), lineOf(skuId, 'ann')]);
  const otherLines = await ask([lineOf(skuId, 'ann')]);
  assert.is(sameLines?.kind, 'ORDER');
  assert.equal(otherLines, { orderId: claim.orderId, kind: 'FAULT', reason: 'REQUEST_ID_REUSED', metadata: {} });
});

test.run();
