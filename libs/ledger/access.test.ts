import { randomUUID } from 'node:crypto';
import { orderId as orderIdOf } from '#libs/contracts/order-id.js';
import { assert, suite } from '#libs/testing/suite.js';
import type { AccessRecord } from './access.js';
import type { StoryEvent } from './explain.js';
import { claimOf, type TestLedger, testLedger } from './test-ledger.js';

const test = suite('access records');
let db: TestLedger;

test.before(async () => {
  db = await testLedger();
});
test.after(() => db.drop());

const day = 86_400_000;

function told(answer: string, parts: Partial<AccessRecord> = {}): AccessRecord {
  const ids = { storeId: 's', userId: 'ann', requestId: randomUUID(), ...parts };
  return {
    ...{ at: new Date(), tookMs: 12, skuIds: ['x'], isReplay: false, weight: 1, answer },
    ...{ ...ids, orderId: orderIdOf(ids.storeId, ids.userId, ids.requestId) },
    ...parts,
  };
}

const answers = (events: readonly StoryEvent[]) =>
  events.flatMap((event) => (event.what === 'ASKED' ? [`${event.answer} of ${event.instance}`] : [event.what]));

test('a person is told what was answered about a sku, also where no order is, in the order of time', async () => {
  const { skuId } = await db.sku();
  const at = (ms: number) => new Date(Date.now() - 60_000 + ms);
  await db.ledger.accessRecord('gateway-1', [
    told('SOLD_OUT', { skuIds: ['other', skuId], at: at(5), weight: 40 }),
    told('QUEUED', { skuIds: [skuId], at: at(1) }),
    told('SOLD_OUT', { skuIds: ['other'], at: at(2) }),
    told('SOLD_OUT', { skuIds: [skuId], at: at(3), userId: 'ben' }),
  ]);
  await db.order(claimOf('ann', skuId));
  const { events } = await db.ledger.userExplain('ann', skuId, { atMost: 100 });
  assert.equal(answers(events), ['QUEUED of gateway-1', 'SOLD_OUT of gateway-1', 'HELD']);
  const sampled = events[1];
  assert.ok(sampled?.what === 'ASKED');
  assert.equal([sampled.tookMs, sampled.weight, sampled.isReplay], [12, 40, false]);
});

test('of a crowd of tries of one person the newest 200 are told', async () => {
  const { skuId } = await db.sku();
  const tries = Array.from({ length: 250 }, (_, n) =>
    told(`TRY_${n}`, { skuIds: [skuId], userId: 'bot', at: new Date(Date.now() - 60_000 + n) }),
  );
  await db.ledger.accessRecord('gateway-1', tries);
  const { events } = await db.ledger.userExplain('bot', skuId, { atMost: 100 });
  assert.equal([events.length, ...answers(events.slice(0, 1))], [200, 'TRY_50 of gateway-1']);
});

test('an order is told with every try of it, and with those of nobody else who chose the same request id', async () => {
  const { skuId } = await db.sku();
  const claim = claimOf('ann', skuId);
  const { storeId, requestId, orderId } = claim;
  await db.order(claim);
  const first = told('HELD', { storeId, requestId, orderId, at: new Date(Date.now() - 5_000) });
  await db.ledger.accessRecord('gateway-1', [first, told('HELD', { storeId, requestId, userId: 'ben' })]);
  await db.ledger.accessRecord('gateway-2', [{ ...first, at: new Date(Date.now() + 5_000), isReplay: true }]);
  const { events } = await db.ledger.orderExplain(orderId);
  assert.equal(answers(events), ['HELD of gateway-1', 'HELD', 'HELD of gateway-2']);
});

test('a request id is told with all orders that came of it, or with those of one user', async () => {
  const { skuId } = await db.sku();
  const requestId = randomUUID();
  const ids = { storeId: 's', requestId };
  await db.order(claimOf('ann', skuId, { requestId, orderId: orderIdOf('s', 'ann', requestId) }));
  await db.ledger.accessRecord('gateway-1', [told('HELD', ids), told('ALL_HELD', { ...ids, userId: 'ben' })]);
  const all = await db.ledger.requestExplain({ requestId }, { atMost: 100 });
  assert.equal([all.orders.length, answers(all.events).length], [1, 3]);
  const bens = await db.ledger.requestExplain({ requestId, userId: 'ben' }, { atMost: 100 });
  assert.equal([bens.orders.length, answers(bens.events)], [0, ['ALL_HELD of gateway-1']]);
  const nothing = await db.ledger.requestExplain({ requestId: randomUUID() }, { atMost: 100 });
  assert.equal(nothing, { orders: [], events: [] });
});

test('an order that nobody recorded is found by its id', async () => {
  const { skuId } = await db.sku();
  const claim = claimOf('ann', skuId);
  await db.order(claim);
  const asked = { requestId: claim.requestId, userId: 'ann', orderId: claim.orderId };
  const { orders, events } = await db.ledger.requestExplain(asked, { atMost: 100 });
  assert.equal([orders[0]?.orderId, answers(events)], [claim.orderId, ['HELD']]);
});

test('what is older than it is kept goes, a batch at a time, and nothing else does', async () => {
  const old = Array.from({ length: 25 }, () => told('HELD', { userId: 'old', at: new Date(Date.now() - 15 * day) }));
  await db.ledger.accessRecord('gateway-1', old);
  const young = told('HELD', { userId: 'young', at: new Date(Date.now() - 13 * day) });
  await db.ledger.accessRecord('gateway-1', [young]);
  const batches = [10, 10, 10, 10].map(async () => db.ledger.accessPrune(14, 10));
  assert.is((await Promise.all(batches)).reduce((sum, pruned) => sum + pruned, 0) >= 10, true);
  while ((await db.ledger.accessPrune(14, 10)) > 0);
  const left = await db.sql(`SELECT user_id FROM ledger.access_records WHERE user_id IN ('old', 'young')`);
  assert.equal(left, [{ user_id: 'young' }]);
});

test('a batch is kept as a whole or not at all', async () => {
  const good = told('HELD', { userId: 'whole' });
  const bad = told('HELD', { userId: 'whole', weight: 0 });
  const failed = await db.ledger.accessRecord('gateway-1', [good, bad]).catch(() => 'failed');
  assert.is(failed, 'failed');
  assert.equal(await db.sql(`SELECT 1 FROM ledger.access_records WHERE user_id = 'whole'`), []);
});

test.run();
