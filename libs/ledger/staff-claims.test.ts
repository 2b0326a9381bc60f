import { randomUUID } from 'node:crypto';
import { Fault } from '#libs/refusal/fault.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import type { ClaimToAdmit } from './claims-batch.js';
import { claimOf, lineOf, only, orderOf, refusalOf, type TestLedger, testLedger } from './test-ledger.js';
import { joined, offerOf, waitingSku } from './test-waitlist.js';

const test = suite('claims of staff');
let db: TestLedger;

test.before(async () => {
  db = await testLedger();
});
test.after.each(async () => assert.equal(await db.violations(), []));
test.after(() => db.drop());

const rita = { by: 'rita' };
const forced = { by: 'rita', forceReason: 'his mother is ill' };
const soon = (seconds: number): Date => new Date(Date.now() + seconds * 1_000);

function claim(skuId: string, staff?: ClaimToAdmit['staff'], parts: Partial<ClaimToAdmit> = {}): ClaimToAdmit {
  return { ...claimOf('ann', skuId, parts), ...(staff && { staff }) };
}

/** What was noted of forced orders of a sku. */
const notedOf = (skuId: string) =>
  db.sql(
    `SELECT what, was, became, reason, changed_by FROM ledger.control_changes WHERE scope = 'SKU' AND scope_id = $1`,
    [skuId],
  );

test('an order says who booked it: on its birth, when it is asked for again, and when it is read', async () => {
  const { skuId } = await db.sku({ perUserLimit: 5 });
  const byStaff = claim(skuId, rita);
  const born = await db.order(byStaff);
  assert.is(born.channel, 'STAFF');
  const { staff: _, ...byAnybody } = byStaff;
  assert.is((await db.order(byAnybody)).channel, 'STAFF');
  assert.is(only(await db.ledger.ordersRead([born.orderId])).channel, 'STAFF');
  const own = await db.order(claim(skuId));
  assert.is(own.channel, 'APP');
  const again = { ...claim(skuId, rita), orderId: own.orderId, requestId: own.requestId };
  assert.is((await db.order(again)).channel, 'APP');
});

test('a batch tells orders of staff from those of people, and one who books twice in it is told the first', async () => {
  const { skuId } = await db.sku({ perUserLimit: 5 });
  const [mine, theirs] = [claim(skuId), claim(skuId, rita)];
  const decided = await db.ledger.claimsAdmit([mine, theirs, { ...mine, staff: rita }]);
  assert.equal(
    decided.map((decision) => orderOf(decision).channel),
    ['APP', 'STAFF', 'APP'],
  );
});

test('staff who do not force are refused as their person is', async () => {
  const { skuId } = await db.sku();
  const { orderId } = await db.order(claim(skuId));
  const refusal = refusalOf(await db.admit(claim(skuId, rita)));
  assert.equal([refusal.reason, refusal.ownOrderId], ['LIMIT_REACHED', orderId]);
});

test('force passes over what one person may have of a sku, and says who did it, why, and over what', async () => {
  const { skuId } = await db.sku();
  await db.order(claim(skuId));
  const order = await db.order(claim(skuId, forced));
  assert.equal([order.state, order.channel], ['HELD', 'STAFF']);
  const became = `order ${order.orderId}`;
  assert.equal(await notedOf(skuId), [
    { what: 'FORCE', was: `limit 1 of SKU ${skuId}`, became, reason: 'his mother is ill', changed_by: 'rita' },
  ]);
  const { changes } = await db.ledger.controlChangesList({ kind: 'SKU', storeId: 'store-1', skuId }, {});
  assert.equal([changes[0]?.what, changes[0]?.changedBy], ['FORCE', 'rita']);
  const { events } = await db.ledger.orderExplain(order.orderId);
  const booked = events.find(({ what }) => what === 'BOOKED');
  assert.ok(booked?.what === 'BOOKED');
  assert.equal([booked.by, booked.reason, booked.limits], ['rita', 'his mother is ill', `limit 1 of SKU ${skuId}`]);
  const { movements } = await db.ledger.movementsList({ orderId: order.orderId }, { pageSize: 10 });
  assert.equal([movements[0]?.changedBy, movements[0]?.note], ['rita', 'his mother is ill']);
});

test('force passes over the limits of the store, of a group and of open orders, each by name', async () => {
  const storeId = `store-${randomUUID()}`;
  const set = (change: object) => db.ledger.limitsSet({ storeId, skuId: '', clearRateLimit: false, ...change });
  await set({ perAttendeeLimit: 1, openOrdersPerUser: 1, unfulfilledPerUser: 1 });
  await set({ groupId: 'trial', perAttendeeLimit: 1 });
  const first = await db.sku({ storeId, limitGroup: 'trial', perUserLimit: 5 });
  const second = await db.sku({ storeId, limitGroup: 'trial', perUserLimit: 5 });
  await db.order(claim(first.skuId, undefined, { storeId }));
  assert.is(refusalOf(await db.admit(claim(second.skuId, rita, { storeId }))).reason, 'LIMIT_REACHED');
  await db.order(claim(second.skuId, forced, { storeId }));
  const [noted] = (await notedOf(second.skuId)) as { was: string }[];
  const { skuId } = second;
  assert.equal(noted?.was.split(', ').sort(), [
    `limit 1 of GROUP ${skuId}`,
    `limit 1 of OPEN_ORDERS ${skuId}`,
    `limit 1 of STORE ${skuId}`,
    `limit 1 of UNFULFILLED ${skuId}`,
  ]);
  // What was forced counts for who comes after, in the same batch, too.
  const ben = { userId: 'ben', lines: [lineOf(skuId, 'ben')], orderId: '', requestId: '' };
  const bens = [forced, undefined].map((staff) => {
    const { orderId, requestId } = claimOf('ben', skuId, { storeId });
    return { ...claim(skuId, staff, { storeId }), ...ben, orderId, requestId };
  });
  const [one, two] = await db.ledger.claimsAdmit(bens);
  assert.equal([one?.kind, two && refusalOf(two).reason], ['ORDER', 'LIMIT_REACHED']);
});

test('force is never over units, what an order may take, sale times, a pause or the end of a sale', async () => {
  const states = {
    ALL_HELD: { capacity: 0 },
    NOT_ENOUGH: { capacity: 1, maxPerOrder: 5 },
    MAX_PER_ORDER: { maxPerOrder: 1 },
    NOT_ON_SALE: { onSaleAt: soon(3_600) },
    PAUSED: { paused: true },
  };
  for (const [reason, parts] of Object.entries(states)) {
    const { skuId } = await db.sku({ perUserLimit: 1, ...parts });
    const wanted = reason === 'NOT_ENOUGH' || reason === 'MAX_PER_ORDER' ? 2 : 1;
    const decision = await db.admit({ ...claim(skuId, forced), lines: [lineOf(skuId, 'ann', wanted)] });
    const told = refusalOf(decision).reason;
    assert.is(told === 'SOLD_OUT' ? 'ALL_HELD' : told, reason);
    assert.equal(await notedOf(skuId), []);
  }
});

test('force that passes over nothing is in the story of the order and nowhere else', async () => {
  const { skuId } = await db.sku();
  const { orderId } = await db.order(claim(skuId, forced));
  assert.equal(await notedOf(skuId), []);
  const booked = (await db.ledger.orderExplain(orderId)).events.find(({ what }) => what === 'BOOKED');
  assert.ok(booked?.what === 'BOOKED');
  assert.equal([booked.reason, booked.limits], ['his mother is ill', undefined]);
});

test('a request id stands for its order with and without force: the first try decides', async () => {
  const { skuId } = await db.sku();
  await db.order(claim(skuId));
  const refused = claim(skuId);
  assert.is(refusalOf(await db.admit(refused)).reason, 'LIMIT_REACHED');
  assert.is(refusalOf(await db.admit({ ...refused, staff: forced })).reason, 'LIMIT_REACHED');
  const { staff: _, ...unforced } = claim(skuId, forced);
  const { orderId } = await db.order({ ...unforced, staff: forced });
  assert.is((await db.order(unforced)).orderId, orderId);
  assert.is((await notedOf(skuId)).length, 1);
});

test('who waits because staff asked gets an order of staff; who forces does not wait', async () => {
  const sku = await waitingSku(db, { capacity: 1 });
  assert.equal(refusalOf(await db.admit(claim(sku.skuId, forced))).reason, 'ALL_HELD');
  const waiting = claim(sku.skuId, rita);
  const decided = await db.admit(waiting);
  assert.ok(decided.kind === 'WAITLISTED');
  const own = await joined(db, 'ben', sku.skuId);
  const { events } = await db.ledger.orderExplain(waiting.orderId);
  assert.equal(
    events.map((event) => (event.what === 'BOOKED' ? event.by : event.what)),
    ['rita', 'WAITS'],
  );
  await db.ledger.orderCancel({ orderId: sku.holders[0].orderId });
  const offer = await offerOf(db, decided.entry.entryId);
  assert.is(offer.channel, 'STAFF');
  assert.is((await db.order(waiting)).channel, 'STAFF');
  await db.ledger.orderCancel({ orderId: offer.orderId });
  assert.is((await offerOf(db, own.entryId)).channel, 'APP');
});

test('at a gate that is short, a forced claim is told what admission says of it, and so is one that is not', async () => {
  const { skuId } = await db.sku();
  await db.order(claim(skuId));
  const soldOut = await db.sku({ capacity: 0, onSoldOut: 'JOIN_WAITLIST' });
  const claims = [claim(skuId, forced), claim(skuId, rita), claim(soldOut.skuId, forced)];
  const [free, limited, none] = (await db.ledger.parkedRead(claims)).words;
  assert.equal([free, limited?.no?.kind === 'REFUSED' && limited.no.refusal.reason], [{}, 'LIMIT_REACHED']);
  const said = await db.admit({ ...claims[2], record: false } as ClaimToAdmit);
  assert.equal(none?.no?.kind === 'REFUSED' && none.no.refusal, refusalOf(said));
});

test('staff without an id, or a reason that is none, are refused', async () => {
  const { skuId } = await db.sku();
  for (const staff of [
    { by: 'a b' },
    { by: '' },
    { by: 'rita', forceReason: '' },
    { by: 'rita', forceReason: 'x\u0000' },
  ]) {
    const fault = await rejectionOf(db.admit(claim(skuId, staff)), Fault);
    assert.is(fault.reason, 'INVALID_REQUEST');
  }
});

test('a service of before admits as it did', async () => {
  const { skuId } = await db.sku();
  const { orderId } = claim(skuId);
  const rows = await db.sql<{ outcome: string; channel: string }>(
    `SELECT * FROM ledger.claims_admit(ARRAY[$1], '{1}', '{ann}', ARRAY[$2::uuid], '{store-1}', '{ann}', '{r}', '{1}',
      '{"\\\\x00"}', '{NULL}', '{t}', '{1}', '{1}', '{1}', '{NULL}')`,
    [skuId, orderId],
  );
  assert.equal(
    rows.map(({ outcome, channel }) => [outcome, channel]),
    [['ORDER', 'APP']],
  );
});

test.run();
