import { randomUUID } from 'node:crypto';
import { Fault } from '#libs/refusal/fault.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import type { StoryEvent } from './explain.js';
import { claimOf, lineOf, type TestLedger, testLedger } from './test-ledger.js';
import { joined, offerOf, waitingSku } from './test-waitlist.js';

const test = suite('explain');
let db: TestLedger;

test.before(async () => {
  db = await testLedger();
});
test.after(() => db.drop());

const whats = (events: readonly StoryEvent[]) => events.map(({ what }) => what);
const storyOf = async (orderId: string) => (await db.ledger.orderExplain(orderId)).events;
const pay = (orderId: string, providerPaymentId: string, amountMinor = 1_500) =>
  db.ledger.paymentConfirm({ orderId, provider: 'bank', providerPaymentId, amountMinor, currency: 'EUR' });
const publishAll = async () => db.ledger.outboxMarkPublished((await db.ledger.outboxTake(100)).map(({ id }) => id));

test('an order tells what happened to it in the order of time, with its figures', async () => {
  const { skuId } = await db.sku();
  const { orderId } = await db.order(claimOf('ann', skuId));
  await publishAll();
  await pay(orderId, randomUUID());
  await pay(orderId, 'twice');
  await db.ledger.orderCancel({ orderId, reason: 'ill' });
  const { order, events } = await db.ledger.orderExplain(orderId);
  assert.is(order?.state, 'CANCELLED');
  const paid = ['PAID', 'CONFIRMED', 'PAID', 'REFUND_DUE'];
  assert.equal(whats(events), ['HELD', 'PUBLISHED', ...paid, 'CANCELLED', 'REFUND_DUE']);
  assert.ok(events.every(({ at }, index) => at >= (events[index - 1]?.at ?? at)));
  const cancelled = events.at(-2);
  assert.ok(cancelled?.what === 'CANCELLED');
  assert.equal([cancelled.version, cancelled.note], [3, 'ill']);
  assert.equal(cancelled.moves, [{ skuId, free: 1, held: 0, sold: -1 }]);
  const held = events[0];
  assert.ok(held?.what === 'HELD');
  assert.equal(held.moves, [{ skuId, free: -1, held: 1, sold: 0 }]);
});

test('a refusal tells why, a dead letter what became of it, a repair what it moved', async () => {
  const { skuId } = await db.sku({ capacity: 1 });
  const claim = claimOf('ann', skuId);
  await db.ledger.claimBury({ claim, subject: 'claims.0', payload: Buffer.from('x'), error: 'broken' });
  assert.equal(whats(await storyOf(claim.orderId)), ['REFUSED', 'DEAD_LETTER']);
  const { letters } = await db.ledger.deadLettersList({ withResolved: false }, { pageSize: 1 });
  const by = { letterId: letters[0]?.letterId ?? 0, by: 'olga', reason: 'mended', requestId: randomUUID() };
  await db.ledger.deadLetterReplay(by, claim);
  assert.equal(whats(await storyOf(claim.orderId)).sort(), ['DEAD_LETTER', 'HELD', 'REPLAYED']);
  await db.sql(
    `INSERT INTO ledger.movements VALUES ($1, $2, 0, 1, 0, -1, 0, 'REPAIR', now()), ($1, $2, -1, -1, 0, 1, 0, 'REPAIR', now())`,
    [claim.orderId, skuId],
  );
  const repairs = (await storyOf(claim.orderId)).filter(({ what }) => what === 'REPAIRED');
  assert.is(repairs.length, 2);

  const late = claimOf('ben', skuId);
  await db.admit(late);
  const [refused] = await storyOf(late.orderId);
  assert.ok(refused?.what === 'REFUSED');
  assert.equal([refused.refusal.reason, refused.refusal.skuId], ['ALL_HELD', skuId]);
});

test('what operators changed about a sku is in the story: the last before the order, and those in its life', async () => {
  const { skuId } = await db.sku();
  const change = (what: string, at: string) =>
    db.sql(
      `INSERT INTO ledger.control_changes (what, scope, scope_id, was, became, reason, changed_by, changed_at, request_id)
       VALUES ($1, 'SKU', $2, 'a', 'b', 'r', 'olga', ${at}, gen_random_uuid())`,
      [what, skuId],
    );
  await change('CAPACITY', `now() - interval '2 days'`);
  await change('PAUSE', `now() - interval '1 day'`);
  const { orderId } = await db.order(claimOf('ann', skuId));
  await db.sql(`UPDATE ledger.orders SET created_at = created_at - interval '1 minute' WHERE order_id = $1`, [orderId]);
  await db.sql(`UPDATE ledger.outbox SET at = at - interval '1 minute' WHERE order_id = $1`, [orderId]);
  await change('RESUME', `now() - interval '30 seconds'`);
  await db.ledger.orderCancel({ orderId });
  await change('CAPACITY', `now() + interval '1 day'`);
  const told = (await storyOf(orderId)).map((event) => (event.what === 'CHANGED' ? event.change : event.what));
  assert.equal(told, ['PAUSE', 'HELD', 'RESUME', 'CANCELLED']);
});

test('somebody is explained by every order of theirs for a sku, and by what others took for them', async () => {
  const { skuId } = await db.sku({ perUserLimit: 3 });
  const other = await db.sku();
  const own = await db.order(claimOf('ann', skuId));
  const forHer = await db.order(claimOf('dad', [lineOf(skuId, 'ann'), lineOf(skuId, 'dad')]));
  await db.order(claimOf('ann', other.skuId));
  await db.order(claimOf('ben', skuId));
  const story = await db.ledger.userExplain('ann', skuId, { atMost: 100 });
  assert.equal(story.orders.map(({ orderId }) => orderId).sort(), [own.orderId, forHer.orderId].sort());
  assert.equal([story.units, story.limit], [2, 3]);
  assert.equal(whats(story.events), ['HELD', 'HELD']);
  const newest = await db.ledger.userExplain('ann', skuId, { atMost: 1 });
  assert.equal([newest.orders.length, newest.events.length, newest.units], [1, 1, 2]);
});

test('a wait is told from its beginning: by the entry, by the order that it was offered, and of the person', async () => {
  const sku = await waitingSku(db, { capacity: 1 });
  const entry = await joined(db, 'eve', sku.skuId);
  assert.equal(whats(await storyOf(entry.entryId)), ['WAITS']);
  assert.is((await db.ledger.orderExplain(entry.entryId)).order, undefined);
  await db.ledger.orderCancel({ orderId: sku.holders[0].orderId });
  const offer = await offerOf(db, entry.entryId);
  await pay(offer.orderId, randomUUID());
  const waits = ['WAITS', 'HELD', 'WAITS', 'PAID', 'CONFIRMED', 'WAITS'];
  const sorted = (events: readonly StoryEvent[]) => whats(events).sort();
  assert.equal(sorted(await storyOf(offer.orderId)), [...waits].sort());
  const { events } = await db.ledger.userExplain('eve', sku.skuId, { atMost: 100 });
  assert.equal(sorted(events), [...waits].sort());
  const states = events.flatMap((event) => (event.what === 'WAITS' ? [[event.state, event.offerId]] : []));
  assert.equal(states, [
    ['WAITING', undefined],
    ['OFFERED', offer.orderId],
    ['PROMOTED', offer.orderId],
  ]);
});

test('who left a waitlist is still told of it', async () => {
  const sku = await waitingSku(db, { capacity: 1 });
  const entry = await joined(db, 'fay', sku.skuId);
  await db.ledger.waitlistLeave({ entryId: entry.entryId, userId: 'fay' });
  const { orders, events } = await db.ledger.userExplain('fay', sku.skuId, { atMost: 100 });
  assert.equal([orders, events.map((event) => event.what === 'WAITS' && event.state)], [[], ['WAITING', 'LEFT']]);
});

test('whoever did nothing has an empty story, and what is not there is not found', async () => {
  const { skuId } = await db.sku();
  const story = await db.ledger.userExplain('nobody', skuId, { atMost: 100 });
  assert.equal([story.orders, story.events, story.units, story.limit], [[], [], 0, 1]);
  const noSku = await rejectionOf(db.ledger.userExplain('ann', 'nothing', { atMost: 100 }), Fault);
  assert.is(noSku.reason, 'SKU_NOT_FOUND');
  assert.is((await rejectionOf(db.ledger.orderExplain(randomUUID()), Fault)).reason, 'ORDER_NOT_FOUND');
});

test.run();
