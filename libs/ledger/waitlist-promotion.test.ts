import { faultOf } from '#libs/refusal/fault.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import type { LedgerOrder } from './rows.js';
import { claimOf, lineOf, plainSku, type TestLedger, testLedger } from './test-ledger.js';
import { joined, offerOf, statesOf, waitingSku } from './test-waitlist.js';

const test = suite('waitlist promotion');
let db: TestLedger;

test.before(async () => {
  db = await testLedger();
});
test.after.each(async () => assert.equal(await db.violations(), []));
test.after(() => db.drop());

const by = { storeId: 'store-1', operator: 'olga', reason: 'r' };

async function units(skuId: string): Promise<Record<'free' | 'reserved' | 'held', number>> {
  const { free, reserved, held } = await db.stock(skuId);
  return { free, reserved, held };
}

test('a larger party at the head collects what comes back, and nobody behind it or new is served before it', async () => {
  const { skuId, holders } = await waitingSku(db, { capacity: 4, perUserLimit: 3 });
  const party = await joined(db, 'party', [lineOf(skuId, 'party', 3)]);
  const single = await joined(db, 'single', skuId);
  for (const order of holders.slice(0, 2)) await db.ledger.orderCancel(order);
  assert.equal(await units(skuId), { free: 0, reserved: 2, held: 2 });
  const newcomer = await joined(db, 'newcomer', skuId);
  assert.equal(await statesOf(db, [party, single, newcomer]), ['WAITING', 'WAITING', 'WAITING']);
  for (const order of holders.slice(2)) await db.ledger.orderCancel(order);
  assert.equal(await statesOf(db, [party, single, newcomer]), ['OFFERED', 'OFFERED', 'WAITING']);
  assert.equal(await units(skuId), { free: 0, reserved: 0, held: 4 });
});

test('what a party collected goes to the next when it leaves, and is free when nobody waits', async () => {
  const { skuId, holders } = await waitingSku(db, { capacity: 3, perUserLimit: 3 });
  const party = await joined(db, 'party', [lineOf(skuId, 'party', 3)]);
  const single = await joined(db, 'single', skuId);
  for (const order of holders.slice(0, 2)) await db.ledger.orderCancel(order);
  await db.ledger.waitlistLeave(party);
  assert.equal(await statesOf(db, [party, single]), ['LEFT', 'OFFERED']);
  assert.equal(await units(skuId), { free: 1, reserved: 0, held: 2 });
});

test('a party that moves to another sku leaves what it had collected to the next, and all of it stays accounted for', async () => {
  const { skuId, holders } = await waitingSku(db, { capacity: 2, perUserLimit: 2 });
  const party = await joined(db, 'party', [lineOf(skuId, 'party', 2)]);
  const single = await joined(db, 'single', skuId);
  for (const order of holders) await db.ledger.orderCancel(order);
  const { orderId } = await offerOf(db, party.entryId);
  const { skuId: toSkuId } = await db.sku({ capacity: 2, perUserLimit: 2 });
  const { kind } = await db.ledger.orderMove({ orderId, toSkuId, requestId: 'away', by: 'olga' });
  assert.equal([kind, ...(await statesOf(db, [single]))], ['MOVED', 'OFFERED']);
  assert.equal(await units(skuId), { free: 1, reserved: 0, held: 1 });
});

test('first fit serves who fits, and an entry that was passed over as often as may be is served strictly', async () => {
  const { skuId, holders } = await waitingSku(db, {
    capacity: 6,
    perUserLimit: 3,
    waitlist: { order: 'FIRST_FIT', skips: 2 },
  });
  const party = await joined(db, 'party', [lineOf(skuId, 'party', 2)]);
  const singles = [];
  for (const user of ['a', 'b', 'c']) singles.push(await joined(db, user, skuId));
  const states: string[][] = [];
  for (const order of holders.slice(0, 4)) {
    await db.ledger.orderCancel(order);
    states.push(await statesOf(db, [party, ...singles]));
  }
  assert.equal(states, [
    ['WAITING', 'OFFERED', 'WAITING', 'WAITING'],
    ['WAITING', 'OFFERED', 'OFFERED', 'WAITING'],
    ['WAITING', 'OFFERED', 'OFFERED', 'WAITING'],
    ['OFFERED', 'OFFERED', 'OFFERED', 'WAITING'],
  ]);
});

test('first fit: who comes when less is left than the head wants, and enough for them, joins and is served at once', async () => {
  const { skuId, holders } = await waitingSku(db, { capacity: 2, perUserLimit: 2, waitlist: { order: 'FIRST_FIT' } });
  const party = await joined(db, 'party', [lineOf(skuId, 'party', 2)]);
  await db.ledger.orderCancel(holders[0]);
  const single = await joined(db, 'single', skuId);
  assert.equal(await statesOf(db, [party, single]), ['WAITING', 'OFFERED']);
});

test('who would have too many is passed over and keeps the place, and is served once units were given back', async () => {
  const sku = { ...plainSku(), capacity: 3, perUserLimit: 2, onSoldOut: 'JOIN_WAITLIST' };
  const { skuId } = await db.sku(sku);
  const own = await db.order(claimOf('ann', skuId));
  const others = [await db.order(claimOf('ben', skuId)), await db.order(claimOf('cleo', skuId))];
  const ann = await joined(db, 'ann', skuId);
  const dan = await joined(db, 'dan', skuId);
  await db.ledger.skuPut({ ...sku, skuId, perUserLimit: 1 }, (await db.ledger.skuGet(skuId)).sku.etag);
  await db.ledger.orderCancel(others[0] as LedgerOrder);
  assert.equal(await statesOf(db, [ann, dan]), ['WAITING', 'OFFERED']);
  const barred = await db.ledger.waitlistEntryGet(ann);
  assert.equal([barred.barredReason, barred.peopleAhead], ['LIMIT_REACHED', 0]);
  // Nobody is left who could be served: what comes free is free.
  await db.ledger.orderCancel(others[1] as LedgerOrder);
  assert.is((await units(skuId)).free, 1);
  await db.order(claimOf('eve', skuId));
  await db.ledger.orderCancel(own);
  assert.equal(await statesOf(db, [ann]), ['OFFERED']);
});

test('a smaller capacity bars who wants more than there is, a larger one goes to who waits before anybody else', async () => {
  const sku = { ...plainSku(), capacity: 3, perUserLimit: 3, onSoldOut: 'JOIN_WAITLIST' };
  const { skuId } = await db.sku(sku);
  await db.order(claimOf('holder', [lineOf(skuId, 'holder', 3)]));
  const party = await joined(db, 'party', [lineOf(skuId, 'party', 3)]);
  const single = await joined(db, 'single', skuId);
  const resize = (capacity: number, requestId: string) =>
    db.ledger.capacitySet({ ...by, skuId, capacity, force: true, requestId });
  await resize(2, `${skuId}-1`);
  assert.equal(await statesOf(db, [party, single]), ['WAITING', 'WAITING']);
  await resize(7, `${skuId}-2`);
  assert.equal(await statesOf(db, [party, single]), ['OFFERED', 'OFFERED']);
  assert.equal(await units(skuId), { free: 0, reserved: 0, held: 7 });
  assert.is((await db.admit(claimOf('newcomer', skuId))).kind, 'WAITLISTED');
  const { skuId: other, ...terms } = await waitingSku(db, { capacity: 1 });
  const waiter = await joined(db, 'ann', other);
  await db.ledger.skuPut({ ...plainSku(), skuId: other, capacity: 2, onSoldOut: 'REFUSE' }, terms.etag);
  assert.equal(await statesOf(db, [waiter]), ['OFFERED']);
});

test('a capacity is lowered by what is reserved before anything is overbooked', async () => {
  const { skuId, holders } = await waitingSku(db, { capacity: 4, perUserLimit: 3 });
  await joined(db, 'party', [lineOf(skuId, 'party', 3)]);
  for (const order of holders.slice(0, 2)) await db.ledger.orderCancel(order);
  await db.ledger.capacitySet({ ...by, skuId, capacity: 3, force: false, requestId: skuId });
  assert.equal(await units(skuId), { free: 0, reserved: 1, held: 2 });
  assert.is((await db.stock(skuId)).overbooked, 0);
});

test('while a waitlist or a sku is paused what comes free is kept, and goes out when it is resumed', async () => {
  for (const which of ['SKU', 'WAITLIST'] as const) {
    const { skuId, holders } = await waitingSku(db, { capacity: 2 });
    const waiters = [await joined(db, 'ann', skuId)];
    const pause = (paused: boolean) => {
      const change = { ...by, skuId, paused, requestId: `${skuId}-${paused}` };
      return which === 'SKU' ? db.ledger.skuPause(change) : db.ledger.waitlistSetPaused(change);
    };
    await pause(true);
    await db.ledger.orderCancel(holders[0]);
    await db.ledger.waitlistPromote(100);
    assert.equal(
      [...(await statesOf(db, waiters)), await units(skuId)],
      ['WAITING', { free: 0, reserved: 1, held: 1 }],
    );
    const [changed, again] = [await pause(false), await pause(false)];
    assert.equal([changed.changed, again.changed], [true, false]);
    assert.equal(await statesOf(db, waiters), ['OFFERED']);
  }
});

test('J07: five units that one cancel frees are offered to the first five, in order', async () => {
  const { skuId } = await db.sku({ capacity: 5, perUserLimit: 5, onSoldOut: 'JOIN_WAITLIST' });
  const group = await db.order(claimOf('group', [lineOf(skuId, 'group', 5)]));
  const waiters = [];
  for (let n = 0; n < 7; n += 1) waiters.push(await joined(db, `user-${n}`, skuId));
  await db.ledger.orderCancel(group);
  assert.equal(await statesOf(db, waiters), [...Array(5).fill('OFFERED'), 'WAITING', 'WAITING']);
  const told = (await db.ledger.outboxTake(10_000)).filter(
    (entry) => entry.kind === 'WAITLIST' && entry.skuId === skuId,
  );
  assert.equal(
    told.filter((entry) => entry.kind === 'WAITLIST' && entry.state === 'OFFERED').map(({ orderId }) => orderId),
    waiters.slice(0, 5).map(({ entryId }) => entryId),
  );
});

test('J05: an offer that is not taken in time goes to the next in order of arrival, each for as long as the sku says', async () => {
  const { skuId, holders } = await waitingSku(db, { capacity: 1, waitlist: { offerTtlSeconds: 60 } });
  const waiters = [];
  for (const user of ['z', 'y', 'a']) waiters.push(await joined(db, user, skuId));
  await db.ledger.orderCancel(holders[0]);
  for (const [n, { entryId }] of waiters.entries()) {
    const offer = await offerOf(db, entryId);
    assert.is(Math.round(((offer.expiresAt?.getTime() ?? 0) - offer.createdAt.getTime()) / 1_000), 60);
    assert.equal(await statesOf(db, waiters), [
      ...Array(n).fill('EXPIRED'),
      'OFFERED',
      ...Array(2 - n).fill('WAITING'),
    ]);
    await db.expire(offer.orderId);
    await db.ledger.ordersExpire(10);
  }
  assert.equal(await units(skuId), { free: 1, reserved: 0, held: 0 });
});

test('A22 J04: who was promoted and cancels gives the unit to the next, and is not promoted again', async () => {
  const { skuId, holders } = await waitingSku(db, { capacity: 1, paymentRequired: false });
  const [ann, ben] = [await joined(db, 'ann', skuId), await joined(db, 'ben', skuId)];
  await db.ledger.orderCancel(holders[0]);
  assert.equal(await statesOf(db, [ann, ben]), ['PROMOTED', 'WAITING']);
  const order = await offerOf(db, ann.entryId);
  assert.is(order.state, 'CONFIRMED');
  await db.ledger.orderCancel(order);
  assert.equal(await statesOf(db, [ann, ben]), ['PROMOTED', 'PROMOTED']);
  await db.ledger.orderCancel(await offerOf(db, ben.entryId));
  assert.equal(await units(skuId), { free: 1, reserved: 0, held: 0 });
  assert.equal(await statesOf(db, [ann, ben]), ['PROMOTED', 'PROMOTED']);
});

test('an offer that costs nothing is taken by accepting it, once; one that is to be paid is not', async () => {
  const { skuId, holders } = await waitingSku(db, {
    capacity: 1,
    paymentRequired: false,
    priceMinor: 0,
    waitlist: { accept: 'OFFER' },
  });
  const ann = await joined(db, 'ann', skuId);
  const tooEarly = await rejectionOf(db.ledger.offerAccept(ann));
  assert.is(faultOf(tooEarly).reason, 'ORDER_STATE');
  await db.ledger.orderCancel(holders[0]);
  assert.equal(await statesOf(db, [ann]), ['OFFERED']);
  const [accepted, again] = [await db.ledger.offerAccept(ann), await db.ledger.offerAccept(ann)];
  assert.equal([accepted.changed, accepted.entry.state, again.changed], [true, 'PROMOTED', false]);
  const paid = await waitingSku(db, { capacity: 1 });
  const ben = await joined(db, 'ben', paid.skuId);
  await db.ledger.orderCancel(paid.holders[0]);
  assert.is(faultOf(await rejectionOf(db.ledger.offerAccept(ben))).reason, 'ORDER_STATE');
});

test('I14: nothing is offered once the sale is over: the wait ends, and units are free', async () => {
  const { skuId, holders } = await waitingSku(db, { capacity: 3, perUserLimit: 3 });
  const waiters = [await joined(db, 'party', [lineOf(skuId, 'party', 3)]), await joined(db, 'ann', skuId)];
  await db.ledger.orderCancel(holders[0]);
  assert.is((await units(skuId)).reserved, 1);
  await db.sql(`UPDATE ledger.skus SET off_sale_at = ledger.clock() WHERE sku_id = $1`, [skuId]);
  await db.ledger.orderCancel(holders[1] as LedgerOrder);
  await db.ledger.waitlistPromote(100);
  assert.equal(await statesOf(db, waiters), ['WAITING', 'WAITING']);
  assert.is(await db.ledger.waitlistEnd(1), 1);
  assert.equal([await db.ledger.waitlistEnd(100), await db.ledger.waitlistEnd(100)], [1, 0]);
  assert.equal(await statesOf(db, waiters), ['ENDED', 'ENDED']);
  assert.equal(await units(skuId), { free: 2, reserved: 0, held: 1 });
});

test('more than a thousand that can be served at once are served in rounds', async () => {
  const { skuId } = await db.sku({
    capacity: 1_500,
    perUserLimit: 1_500,
    maxPerOrder: 1_500,
    onSoldOut: 'JOIN_WAITLIST',
  });
  const all = await db.order(claimOf('all', [lineOf(skuId, 'all', 1_500)]));
  for (let from = 0; from < 1_500; from += 500) {
    await db.ledger.claimsAdmit(Array.from({ length: 500 }, (_, n) => claimOf(`user-${from + n}`, skuId)));
  }
  await db.ledger.orderCancel(all);
  assert.equal(await units(skuId), { free: 0, reserved: 500, held: 1_000 });
  const { promoted } = await db.ledger.waitlistPromote(100);
  assert.is(promoted, 500);
  assert.equal(await units(skuId), { free: 0, reserved: 0, held: 1_500 });
  assert.is((await db.ledger.waitlistPromote(100)).promoted, 0);
  assert.is((await db.admit(claimOf('newcomer', skuId))).kind, 'WAITLISTED');
});

test.run();
