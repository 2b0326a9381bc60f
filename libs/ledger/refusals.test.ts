import { assert, suite } from '#libs/testing/suite.js';
import { openLedger, RUNTIME_ROLE } from './ledger.js';
import type { SkuToPut } from './sku-violations.js';
import { claimOf, lineOf, openPool, orderOf, refusalOf, type TestLedger, testLedger } from './test-ledger.js';

const test = suite('refusals');
let db: TestLedger;

test.before(async () => {
  db = await testLedger();
});
test.after.each(async () => assert.equal(await db.violations(), []));
test.after(() => db.drop());

const newSku = async (parts: Partial<SkuToPut> = {}): Promise<string> => (await db.sku(parts)).skuId;
const fromNow = (seconds: number): Date => new Date(Date.now() + seconds * 1_000);

test('A28: the second of two is refused before it could pay', async () => {
  const skuId = await newSku({ capacity: 1 });
  const first = await db.order(claimOf('ann', skuId));
  const refusal = refusalOf(await db.admit(claimOf('bob', skuId)));
  assert.equal(refusal, { reason: 'ALL_HELD', skuId, nextReleaseAt: first.expiresAt });
});

test('A34: who wants more than is free gets nothing and hears how many there are', async () => {
  const skuId = await newSku({ capacity: 1, perUserLimit: 2 });
  const refusal = refusalOf(await db.admit(claimOf('ann', [lineOf(skuId, 'ann', 2)])));
  assert.equal(refusal, { reason: 'NOT_ENOUGH', skuId, free: 1 });
  assert.is((await db.stock(skuId)).free, 1);
});

test('the attendees of one order count together', async () => {
  const skuId = await newSku({ capacity: 1 });
  const refusal = refusalOf(await db.admit(claimOf('mum', [lineOf(skuId, 'child-1'), lineOf(skuId, 'child-2')])));
  assert.equal(refusal, { reason: 'NOT_ENOUGH', skuId, free: 1 });
});

test('all lines are taken or none', async () => {
  const [plenty, none] = [await newSku(), await newSku({ capacity: 0 })];
  const refusal = refusalOf(await db.admit(claimOf('ann', [lineOf(plenty, 'ann'), lineOf(none, 'ann')])));
  assert.equal(refusal, { reason: 'SOLD_OUT', skuId: none });
  assert.is((await db.stock(plenty)).free, 10);
});

test('the earliest release counts holds of the same batch and of earlier ones', async () => {
  const skuId = await newSku({ capacity: 2 });
  const early = await db.order(claimOf('ann', skuId));
  const [, third] = await db.ledger.claimsAdmit([claimOf('bob', skuId), claimOf('cid', skuId)]);
  assert.equal(third && refusalOf(third).nextReleaseAt, early.expiresAt);
  const other = await newSku({ capacity: 1 });
  const [held, refused] = await db.ledger.claimsAdmit([claimOf('ann', other), claimOf('bob', other)]);
  assert.equal(refused && refusalOf(refused).nextReleaseAt, held && orderOf(held).expiresAt);
});

test('while units are reserved nothing is sold out', async () => {
  const skuId = await newSku({ capacity: 1 });
  await db.sql('UPDATE ledger.stock SET free = 0, reserved = 1 WHERE sku_id = $1', [skuId]);
  assert.equal(refusalOf(await db.admit(claimOf('ann', skuId))), { reason: 'ALL_HELD', skuId });
  await db.sql('UPDATE ledger.stock SET free = 1, reserved = 0 WHERE sku_id = $1', [skuId]);
});

test('A18: a second order for the same person is refused with the first one named', async () => {
  const skuId = await newSku();
  const first = await db.order(claimOf('ann', skuId));
  const refusal = refusalOf(await db.admit(claimOf('ann', skuId)));
  assert.equal(refusal, { reason: 'LIMIT_REACHED', skuId, limit: 1, ownOrderId: first.orderId });
  assert.is((await db.stock(skuId)).held, 1);
});

test('A18: whoever has confirmed units, and may have no more, has booked already; with room for less it is a limit', async () => {
  const [full, roomy] = [
    await newSku({ paymentRequired: false }),
    await newSku({ paymentRequired: false, perUserLimit: 3 }),
  ];
  const booked = await db.order(claimOf('ann', full));
  assert.equal(refusalOf(await db.admit(claimOf('ann', full))), {
    ...{ reason: 'ALREADY_BOOKED', skuId: full, limit: 1, ownOrderId: booked.orderId },
  });
  const some = await db.order(claimOf('ann', roomy));
  const more = claimOf('ann', [lineOf(roomy, 'ann', 3)]);
  assert.equal(refusalOf(await db.admit(more)), {
    ...{ reason: 'LIMIT_REACHED', skuId: roomy, limit: 3, ownOrderId: some.orderId },
  });
  const free = await newSku({ paymentRequired: false });
  const batch = await db.ledger.claimsAdmit([claimOf('ben', free), claimOf('ben', free)]);
  assert.is(batch[1] && refusalOf(batch[1]).reason, 'ALREADY_BOOKED');
});

test('of two orders in one batch the second names the first', async () => {
  const skuId = await newSku();
  const [first, second] = await db.ledger.claimsAdmit([claimOf('ann', skuId), claimOf('ann', skuId)]);
  assert.is(second && refusalOf(second).ownOrderId, first?.orderId);
});

test('two parents who book one child get one seat, and neither sees the other', async () => {
  const skuId = await newSku();
  await db.order(claimOf('mum', [lineOf(skuId, 'child')]));
  const again = refusalOf(await db.admit(claimOf('dad', [lineOf(skuId, 'child')])));
  const batch = await db.ledger.claimsAdmit([
    claimOf('mum', [lineOf(skuId, 'other-child')]),
    claimOf('dad', [lineOf(skuId, 'other-child')]),
  ]);
  assert.equal(again, { reason: 'LIMIT_REACHED', skuId, limit: 1 });
  assert.equal(batch[1] && refusalOf(batch[1]), { reason: 'LIMIT_REACHED', skuId, limit: 1 });
});

test('an order may not take more of a sku than it says, over all its attendees', async () => {
  const skuId = await newSku({ maxPerOrder: 2 });
  const lines = ['a', 'b', 'c'].map((child) => lineOf(skuId, child));
  assert.equal(refusalOf(await db.admit(claimOf('mum', lines))), { reason: 'MAX_PER_ORDER', skuId, limit: 2 });
});

test('before the opening nobody is refused for good, also not from the stream', async () => {
  const onSaleAt = fromNow(3_600);
  const skuId = await newSku({ onSaleAt });
  const claim = claimOf('ann', skuId);
  const decision = await db.admit(claim);
  assert.equal(decision, {
    orderId: claim.orderId,
    kind: 'REFUSED',
    refusal: { reason: 'NOT_ON_SALE', skuId, opensAt: onSaleAt },
    recorded: false,
  });
  await db.sql('UPDATE ledger.skus SET on_sale_at = now() WHERE sku_id = $1', [skuId]);
  assert.is((await db.order(claim)).state, 'HELD');
});

test('what is not open yet is said before anything that would be final', async () => {
  const [sold, later] = [await newSku({ capacity: 0 }), await newSku({ onSaleAt: fromNow(3_600) })];
  const claim = claimOf('ann', [lineOf(sold, 'ann'), lineOf(later, 'ann')]);
  assert.is(refusalOf(await db.admit(claim)).reason, 'NOT_ON_SALE');
  assert.equal(await db.ledger.ordersRead([claim.orderId]), []);
});

test('after the sale, and once the slot has begun, the refusal says which', async () => {
  const closedAt = fromNow(-60);
  const closed = await newSku({ offSaleAt: closedAt, startsAt: fromNow(3_600), timeZone: 'Europe/Berlin' });
  const begun = await newSku({ startsAt: closedAt, timeZone: 'Europe/Berlin' });
  const both = await newSku({ startsAt: closedAt, offSaleAt: fromNow(60), timeZone: 'Europe/Berlin' });
  const reason = 'NOT_ON_SALE' as const;
  const refusals = [];
  for (const skuId of [closed, begun, both]) refusals.push(refusalOf(await db.admit(claimOf('ann', skuId))));
  assert.equal(refusals, [
    { reason, skuId: closed, closedAt },
    { reason, skuId: begun, closedAt, slotPast: true },
    { reason, skuId: both, slotPast: true },
  ]);
});

test('a paused sku sells nothing', async () => {
  const skuId = await newSku({ paused: true });
  assert.equal(refusalOf(await db.admit(claimOf('ann', skuId))), { reason: 'PAUSED', skuId });
});

test('a recorded refusal is the answer for ever, and its lines can be shown', async () => {
  const skuId = await newSku({ capacity: 0 });
  const claim = claimOf('ann', skuId);
  const decision = await db.admit(claim);
  assert.equal(decision, {
    orderId: claim.orderId,
    kind: 'REFUSED',
    refusal: { reason: 'SOLD_OUT', skuId },
    recorded: true,
  });
  const { overbooked: _, etag, ...sku } = (await db.ledger.skuGet(skuId)).sku;
  await db.ledger.skuPut({ ...sku, capacity: 5 }, etag);
  assert.equal(await db.admit(claim), decision);
  const order = await db.ledger.orderGet(claim.orderId, 'ann');
  assert.is(order.state, 'REFUSED');
  assert.is(order.amountMinor, 0);
  assert.equal(order.lines, [{ skuId, attendeeId: 'ann', quantity: 1, unitPriceMinor: 1_500 }]);
});

test('a refusal that is not recorded leaves nothing', async () => {
  const skuId = await newSku({ capacity: 0 });
  const claim = claimOf('ann', skuId, { record: false });
  const decision = await db.admit(claim);
  assert.is(decision.kind === 'REFUSED' && decision.recorded, false);
  assert.equal(await db.ledger.ordersRead([claim.orderId]), []);
});

test("an unknown sku and another store's are not found, and leave nothing", async () => {
  const other = await newSku({ storeId: 'store-2' });
  const own = await newSku();
  for (const skuId of ['nothing', other]) {
    const claim = claimOf('ann', [lineOf(own, 'ann'), lineOf(skuId, 'ann')]);
    const { orderId } = claim;
    assert.equal(await db.admit(claim), {
      orderId,
      kind: 'FAULT',
      reason: 'SKU_NOT_FOUND',
      metadata: { sku_id: skuId },
    });
    assert.equal(await db.ledger.ordersRead([orderId]), []);
  }
  assert.is((await db.stock(own)).free, 10);
});

test('an order has one currency', async () => {
  const [eur, usd] = [await newSku(), await newSku({ currency: 'USD' })];
  const decision = await db.admit(claimOf('ann', [lineOf(eur, 'ann'), lineOf(usd, 'ann')]));
  assert.is(decision.kind === 'FAULT' && decision.reason, 'CURRENCY_MIXED');
});

test('F10: the time zone of a session changes no instant', async () => {
  const onSaleAt = fromNow(3_600);
  const [later, scarce] = [await newSku({ onSaleAt }), await newSku({ capacity: 1 })];
  const held = await db.order(claimOf('ann', scarce));
  for (const zone of ['America/New_York', 'Asia/Shanghai', 'Asia/Kathmandu']) {
    const pool = openPool(`${db.url}?options=-c%20TimeZone=${zone}`, { role: RUNTIME_ROLE });
    const ledger = openLedger(pool);
    const [early, none, late] = await ledger.claimsAdmit([
      claimOf('bob', later),
      claimOf('bob', scarce),
      claimOf('bob', scarce, { notAfter: fromNow(-1) }),
    ]);
    assert.equal(early && refusalOf(early).opensAt, onSaleAt);
    assert.equal(none && refusalOf(none).nextReleaseAt, held.expiresAt);
    assert.is(late?.kind === 'FAULT' && late.reason, 'TOO_LATE');
    assert.equal(await ledger.ordersRead([held.orderId]), [held]);
    assert.equal((await ledger.skuGet(later)).sku.onSaleAt, onSaleAt);
    await pool.close();
  }
});

test.run();
