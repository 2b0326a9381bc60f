import { randomUUID } from 'node:crypto';
import { assert, suite } from '#libs/testing/suite.js';
import type { OrderLimitsChange } from './order-limits.js';
import { claimOf, orderOf, refusalOf, type TestLedger, testLedger } from './test-ledger.js';

const test = suite('limits beyond one sku on a waitlist');
let db: TestLedger;

test.before(async () => {
  db = await testLedger();
});
test.after.each(async () => assert.equal(await db.violations(), []));
test.after(() => db.drop());

/** A store with such limits, where one unit of `full` is taken by zoe, and `open` has plenty. */
async function store(limits: OrderLimitsChange, limitGroup?: string) {
  const storeId = `store-${randomUUID()}`;
  await db.ledger.limitsSet({ storeId, skuId: '', clearRateLimit: false, ...limits });
  const terms = { storeId, ...(limitGroup !== undefined && { limitGroup }) };
  const [full, open] = [await db.sku({ ...terms, capacity: 1 }), await db.sku(terms)];
  const claim = (user: string, skuId: string) => claimOf(user, skuId, { storeId, onSoldOut: 'JOIN_WAITLIST' });
  const taken = orderOf(await db.admit(claim('zoe', full.skuId)));
  const join = async (user: string): Promise<string> => {
    const decision = await db.admit(claim(user, full.skuId));
    assert.is(decision.kind, 'WAITLISTED');
    return decision.orderId;
  };
  const stateOf = async (entryId: string): Promise<string> => (await db.ledger.waitlistEntryGet({ entryId })).state;
  return { full: full.skuId, open: open.skuId, claim, taken, join, stateOf };
}

const limited: [string, OrderLimitsChange, string?][] = [
  ['units over a store', { perAttendeeLimit: 1 }],
  ['units of a group', { groupId: 'trial', perAttendeeLimit: 1 }, 'trial'],
  ['unpaid orders', { openOrdersPerUser: 1 }],
  ['orders to be used', { unfulfilledPerUser: 1 }],
];

for (const [name, limits, group] of limited) {
  test(`${name}: who reached the limit while waiting is passed over, keeps the place, and is served once there is room`, async () => {
    const { full, open, claim, taken, join, stateOf } = await store(limits, group);
    const [ann, ben] = [await join('ann'), await join('ben')];
    const elsewhere = orderOf(await db.admit(claim('ann', open)));
    await db.ledger.orderCancel(taken);
    assert.equal([await stateOf(ann), await stateOf(ben)], ['WAITING', 'OFFERED']);
    // What was offered counts elsewhere.
    assert.is(refusalOf(await db.admit(claim('ben', open))).reason, 'LIMIT_REACHED');
    await db.ledger.orderCancel(elsewhere);
    const bens = await db.ledger.waitlistEntryGet({ entryId: ben });
    await db.ledger.orderCancel({ orderId: bens.orderId ?? '' });
    assert.is(await stateOf(ann), 'OFFERED');
    assert.is(refusalOf(await db.admit(claim('ann', open))).reason, 'LIMIT_REACHED');
    assert.equal((await db.stock(full)).held, 1);
  });
}

test('who has reached the limit already is told so, and does not wait', async () => {
  const { open, full, claim } = await store({ unfulfilledPerUser: 1 });
  const order = orderOf(await db.admit(claim('ann', open)));
  const refused = refusalOf(await db.admit(claim('ann', full)));
  assert.equal([refused.reason, refused.scope, refused.ownOrderId], ['LIMIT_REACHED', 'UNFULFILLED', order.orderId]);
});

test('who makes room elsewhere is served by the job, while the unit is there', async () => {
  const { open, claim, taken, join, stateOf } = await store({ openOrdersPerUser: 1 });
  const ann = await join('ann');
  const elsewhere = orderOf(await db.admit(claim('ann', open)));
  await db.ledger.orderCancel(taken);
  assert.is(await stateOf(ann), 'WAITING');
  await db.ledger.orderCancel(elsewhere);
  await db.ledger.waitlistPromote(10);
  assert.is(await stateOf(ann), 'OFFERED');
});

test('a limit that is set while people wait holds for their offers', async () => {
  const { open, claim, taken, join, stateOf } = await store({ openOrdersPerUser: 100 });
  const ann = await join('ann');
  orderOf(await db.admit(claim('ann', open)));
  await db.ledger.limitsSet({ storeId: taken.storeId, skuId: '', clearRateLimit: false, perAttendeeLimit: 1 });
  await db.ledger.orderCancel(taken);
  await db.ledger.waitlistPromote(10);
  assert.is(await stateOf(ann), 'WAITING');
});

test('late money takes no unit anew beyond a limit', async () => {
  const { open, claim, taken } = await store({ unfulfilledPerUser: 1 });
  const { skuId: elsewhere } = await db.sku({ storeId: taken.storeId });
  const late = orderOf(await db.admit(claim('ann', open)));
  await db.expire(late.orderId);
  await db.ledger.ordersExpire(10);
  const second = orderOf(await db.admit(claim('ann', elsewhere)));
  const { orderId, amountMinor, currency } = late;
  const paid = { orderId, provider: 'bank', providerPaymentId: orderId, amountMinor, currency };
  assert.is((await db.ledger.paymentConfirm(paid)).order?.state, 'EXPIRED');
  assert.is((await db.ledger.orderGet(second.orderId)).state, 'HELD');
});

test('a move within a group is none of the limits; into a group that is full it is refused', async () => {
  const { full, open, claim, taken } = await store({ groupId: 'trial', perAttendeeLimit: 1 }, 'trial');
  const { storeId } = taken;
  const beside = await db.sku({ storeId });
  const first = orderOf(await db.admit(claim('ann', open)));
  const another = await db.sku({ storeId, limitGroup: 'trial' });
  const move = (orderId: string, toSkuId: string) =>
    db.ledger.orderMove({ orderId, toSkuId, role: 'OPERATOR', by: 'olga', requestId: randomUUID() });
  assert.is((await move(first.orderId, another.skuId)).kind, 'MOVED');
  const second = orderOf(await db.admit(claim('ann', beside.skuId)));
  const refused = await move(second.orderId, open);
  assert.equal(refused.kind === 'REFUSED' && [refused.refusal.reason, refused.refusal.scope], [
    ...['LIMIT_REACHED', 'GROUP'],
  ]);
  assert.is((await move(first.orderId, beside.skuId)).kind, 'REFUSED');
  await db.ledger.orderCancel({ orderId: first.orderId, role: 'OPERATOR', by: 'olga' });
  assert.is((await move(second.orderId, open)).kind, 'MOVED');
  assert.equal((await db.stock(full)).held, 1);
});

test.run();
