import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { offerOrderId } from '#libs/contracts/order-id.js';
import { faultOf } from '#libs/refusal/fault.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import { claimOf, lineOf, only, type TestLedger, testLedger } from './test-ledger.js';
import { joined, offerOf, waitingSku } from './test-waitlist.js';

const test = suite('waitlist');
let db: TestLedger;

test.before(async () => {
  db = await testLedger();
});
test.after.each(async () => assert.equal(await db.violations(), []));
test.after(() => db.drop());

test('who comes when nothing is free waits, in the order of arrival, and is offered what comes back in that order', async () => {
  const { skuId, holders } = await waitingSku(db, { capacity: 3 });
  const waiters = [];
  for (const user of ['ann', 'ben', 'cleo', 'dan']) waiters.push(await joined(db, user, skuId));
  assert.equal(
    waiters.map((entry) => entry.peopleAhead),
    [0, 1, 2, 3],
  );
  for (const order of holders.slice(0, 2)) await db.ledger.orderCancel(order);
  const states = await Promise.all(waiters.map(({ entryId }) => db.ledger.waitlistEntryGet({ entryId })));
  assert.equal(
    states.map(({ state, peopleAhead }) => [state, peopleAhead]),
    [
      ['OFFERED', undefined],
      ['OFFERED', undefined],
      ['WAITING', 0],
      ['WAITING', 1],
    ],
  );
  assert.equal(await db.stock(skuId).then(({ free, reserved, held }) => [free, reserved, held]), [0, 0, 3]);
});

test('an offer is an order of its own, whose id is computed and names the shard of the entry', async () => {
  const { skuId, holders } = await waitingSku(db, { capacity: 1 });
  const { entryId } = await joined(db, 'ann', skuId);
  await db.ledger.orderCancel(holders[0]);
  const order = await offerOf(db, entryId);
  assert.is(order.orderId, offerOrderId(entryId));
  assert.is(order.orderId.slice(0, 4), entryId.slice(0, 4));
  assert.equal([order.state, order.userId, order.lines[0]?.attendeeId], ['HELD', 'ann', 'ann']);
});

test('J06: the same request again is the same entry, and the offer once there is one', async () => {
  const { skuId, holders } = await waitingSku(db, { capacity: 1 });
  const claim = claimOf('ann', skuId);
  await joined(db, 'first', skuId);
  const [one, two] = [await db.admit(claim), await db.admit(claim)];
  assert.equal(two, one);
  assert.is(one.kind === 'WAITLISTED' && one.entry.peopleAhead, 1);
  await db.ledger.orderCancel(holders[0]);
  const moved = await db.admit(claim);
  assert.equal(moved.kind === 'WAITLISTED' && [moved.entry.state, moved.entry.peopleAhead], ['WAITING', 0]);
  await db.ledger.orderCancel(await offerOf(db, (await joinedAs(skuId, 'first')).entryId));
  const offered = await db.admit(claim);
  assert.is(offered.kind === 'ORDER' && offered.order.orderId, offerOrderId(claim.orderId));
  const elsewhere = await db.sku();
  for (const line of [lineOf(skuId, 'ann', 2), lineOf(elsewhere.skuId, 'ann')]) {
    const other = await db.admit({ ...claim, lines: [line] });
    assert.is(other.kind === 'FAULT' && other.reason, 'REQUEST_ID_REUSED');
  }
});

const joinedAs = (skuId: string, userId: string) => db.ledger.waitlistEntryGet({ userId, skuId });

test('who waits already is given the same place under another request', async () => {
  const { skuId } = await waitingSku(db, { capacity: 1 });
  const entry = await joined(db, 'ann', skuId);
  const [again, twice, other] = await db.ledger.claimsAdmit([
    claimOf('ann', skuId),
    claimOf('ben', skuId),
    claimOf('ben', skuId),
  ]);
  assert.is(again?.kind === 'WAITLISTED' && again.entry.entryId, entry.entryId);
  assert.ok(twice?.kind === 'WAITLISTED' && other?.kind === 'WAITLISTED');
  assert.is(other.entry.entryId, twice.entry.entryId);
  assert.is((await db.ledger.waitlistList({ storeId: 'store-1', skuId }, {})).waiting, 2);
});

test('a claim says for itself whether it waits; several skus, and more than there are, are refused', async () => {
  const { skuId } = await waitingSku(db, { capacity: 1, perUserLimit: 5 });
  const { skuId: other } = await waitingSku(db, { capacity: 1 });
  const plain = await db.sku({ capacity: 1 });
  await db.order(claimOf('x', plain.skuId));
  const decisions = await db.ledger.claimsAdmit([
    claimOf('ann', skuId, { onSoldOut: 'REFUSE' }),
    claimOf('ben', plain.skuId, { onSoldOut: 'JOIN_WAITLIST' }),
    claimOf('cleo', plain.skuId),
    claimOf('dan', [lineOf(skuId, 'dan'), lineOf(other, 'dan')]),
    claimOf('eve', [lineOf(skuId, 'eve', 2)]),
  ]);
  assert.equal(
    decisions.map(({ kind }) => kind),
    ['REFUSED', 'WAITLISTED', 'REFUSED', 'REFUSED', 'REFUSED'],
  );
});

test('a waitlist that is full, and the eleventh place of a user in a store, are refused and recorded', async () => {
  const { skuId } = await waitingSku(db, { capacity: 1, waitlist: { max: 2 } });
  const claims = ['ann', 'ben', 'cleo'].map((user) => claimOf(user, skuId));
  const decisions = await db.ledger.claimsAdmit([...claims, ...claims.slice(2)]);
  assert.equal(
    decisions.map(({ kind }) => kind),
    ['WAITLISTED', 'WAITLISTED', 'REFUSED', 'REFUSED'],
  );
  const [row] = await db.ledger.ordersRead([claims[2]?.orderId ?? '']);
  assert.is(row?.refusal?.reason, 'WAITLIST_FULL');
  for (let n = 0; n < 10; n += 1) await joined(db, 'zoe', (await waitingSku(db, { capacity: 1 })).skuId);
  const eleventh = await db.admit(claimOf('zoe', (await waitingSku(db, { capacity: 1 })).skuId));
  assert.is(eleventh.kind === 'REFUSED' && eleventh.refusal.reason, 'WAITLIST_FULL');
});

test('who has as many as one may have does not wait for more', async () => {
  const { skuId } = await waitingSku(db, { capacity: 1 });
  const decision = await db.admit(claimOf('holder-0', skuId));
  assert.is(decision.kind === 'REFUSED' && decision.refusal.reason, 'LIMIT_REACHED');
});

test('leaving gives the place up, once; an offer that is left is declined and goes on; a confirmed one is an order', async () => {
  const { skuId, holders } = await waitingSku(db, { capacity: 1 });
  const [ann, ben, cleo] = [
    await joined(db, 'ann', skuId),
    await joined(db, 'ben', skuId),
    await joined(db, 'cleo', skuId),
  ];
  const { entryId } = ann;
  assert.is(
    faultOf(await rejectionOf(db.ledger.waitlistLeave({ entryId, userId: 'ben' }))).reason,
    'WAITLIST_ENTRY_NOT_FOUND',
  );
  assert.equal(
    [await db.ledger.waitlistLeave({ entryId }), await db.ledger.waitlistLeave({ entryId })].map((left) => [
      left.changed,
      left.entry.state,
    ]),
    [
      [true, 'LEFT'],
      [false, 'LEFT'],
    ],
  );
  await db.ledger.orderCancel(holders[0]);
  const declined = await db.ledger.waitlistLeave({ entryId: ben.entryId });
  assert.equal([declined.changed, declined.entry.state], [true, 'DECLINED']);
  const order = await offerOf(db, cleo.entryId);
  await db.sql(`SELECT ledger.orders_transition('PAY', ARRAY[$1::uuid], NULL)`, [order.orderId]);
  assert.is(faultOf(await rejectionOf(db.ledger.waitlistLeave({ entryId: cleo.entryId }))).reason, 'ORDER_STATE');
  await db.sql(`INSERT INTO ledger.payments (provider, provider_payment_id, order_id, amount_minor, currency, state, at)
    VALUES ('bank', '${randomUUID()}', '${order.orderId}', 1500, 'EUR', 'CAPTURED', now())`);
});

test('each change of an entry is told once, with what whoever tells its user needs', async () => {
  const { skuId, holders } = await waitingSku(db, { capacity: 1 });
  const { entryId } = await joined(db, 'ann', skuId);
  await db.ledger.orderCancel(holders[0]);
  const order = await offerOf(db, entryId);
  await db.expire(order.orderId);
  await db.ledger.ordersExpire(10);
  const news = (await db.ledger.outboxTake(1_000)).filter((entry) => entry.orderId === entryId);
  assert.equal(
    news.map(
      (entry) => entry.kind === 'WAITLIST' && [entry.version, entry.state, entry.skuId, entry.userId, entry.offerId],
    ),
    [
      [1, 'WAITING', skuId, 'ann', undefined],
      [2, 'OFFERED', skuId, 'ann', order.orderId],
      [3, 'EXPIRED', skuId, 'ann', order.orderId],
    ],
  );
});

test('a list shows who waits page by page, and what is kept for them', async () => {
  const { skuId, holders } = await waitingSku(db, { capacity: 3, perUserLimit: 3 });
  for (const user of ['ann', 'ben', 'cleo']) await joined(db, user, [lineOf(skuId, user, 2)]);
  await db.ledger.orderCancel(holders[0]);
  const of = { storeId: 'store-1', skuId };
  const first = await db.ledger.waitlistList(of, { pageSize: 2 });
  assert.equal([first.waiting, first.reserved, first.entries.map(({ userId }) => userId)], [3, 1, ['ann', 'ben']]);
  const { entries } = await db.ledger.waitlistList(of, { pageSize: 2, pageToken: first.nextPageToken });
  assert.is(only(entries).userId, 'cleo');
  assert.is(only(entries).peopleAhead, 2);
});

const damages = [
  ['WAITING_NOT_OF_ENTRIES', 'UPDATE stock SET waiting = waiting + 1'],
  ['WAITING_NOT_OF_ENTRIES', 'UPDATE waitlist_counts SET waiting = waiting + 1 WHERE level = 2'],
  ['WAITER_PASSED_OVER', 'UPDATE stock SET capacity = capacity + 1, free = free + 1 WHERE waiting > 0'],
  ['UNITS_KEPT_FOR_NOBODY', 'UPDATE stock SET capacity = capacity + 1, reserved = reserved + 1 WHERE waiting = 0'],
  ['OFFER_NOT_OF_ORDER', `UPDATE waitlist_entries SET order_id = NULL WHERE state = 'OFFERED'`],
] as const;

for (const [violation, damage] of damages) {
  test(`${violation} is found after ${damage}`, async () => {
    const { skuId, holders } = await waitingSku(db, { capacity: 1 });
    for (const user of ['ann', 'ben']) await joined(db, `${user}-${skuId}`, skuId);
    await db.ledger.orderCancel(holders[0]);
    await db.sku();
    const owner = new pg.Client({ connectionString: db.url });
    await owner.connect();
    await owner.query('BEGIN');
    await owner.query(`SET LOCAL search_path = ledger; ${damage}`);
    const { rows } = await owner.query('SELECT violation FROM ledger.audit(1000)');
    await owner.end();
    assert.ok(
      rows.some((row) => row.violation === violation),
      JSON.stringify(rows),
    );
  });
}

test.run();
