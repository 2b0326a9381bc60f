import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { Fault } from '#libs/refusal/fault.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { claimOf, only, type TestLedger, testLedger } from './test-ledger.js';
import { paymentOf } from './test-payments.js';
import { olga, putEndpoint, secret } from './test-webhooks.js';
import type { EndpointToPut } from './webhook-desk.js';
import type { ClaimedWebhook, WebhookOutcome } from './webhooks.js';

const test = suite('webhooks in the ledger');
let db: TestLedger;

test.before.each(async () => {
  db = await testLedger();
});
test.after.each(() => db.drop());

const endpoint = (parts?: Partial<EndpointToPut>): Promise<string> => putEndpoint(db, parts);

/** An order that was paid for by nobody yet, and told. */
async function told(user: string): Promise<void> {
  const { skuId } = await db.sku();
  await db.order(claimOf(user, skuId));
  await tell();
}
async function tell(): Promise<void> {
  await db.ledger.outboxMarkPublished((await db.ledger.outboxTake(1_000)).map(({ id }) => id));
  await add();
}
const add = (): Promise<number> => db.ledger.webhookDeliveriesAdd(1_000);
const claim = (): Promise<ClaimedWebhook[]> =>
  db.ledger.webhookClaim({ atMost: 10, atMostFailing: 5, leaseMs: 60_000 });
const note = (claimed: ClaimedWebhook, outcome: WebhookOutcome, nextInMs = 0, disableAfterMs = 3_600_000) => {
  const error = outcome === 'DELIVERED' ? '' : 'it answered 500';
  return db.ledger.webhookRecord(claimed, { outcome, status: 500, error, nextInMs, disableAfterMs });
};
const listed = async (endpointId: string) => (await db.ledger.webhookDeliveriesList({ endpointId }, {})).deliveries;

test('an event is written once for each endpoint of its store that wants it', async () => {
  const all = await endpoint();
  const held = await endpoint({ eventTypes: ['order.held', 'waitlist.*'] });
  const none = await endpoint({ eventTypes: ['order.cancelled'] });
  const other = await endpoint({ storeId: 'store-2' });
  await told('ann');
  const news = await db.sql<{ id: number }>('SELECT id FROM ledger.outbox');
  await db.ledger.outboxMarkPublished(news.map(({ id }) => Number(id)));
  assert.is(await add(), 0);
  const counts = await Promise.all([all, held, none, other].map(async (id) => (await listed(id)).length));
  assert.equal(counts, [1, 1, 0, 0]);
  const body = JSON.parse(only(await listed(all)).payload);
  assert.equal([body.type, body.data.user_id, body.data.amount_minor], ['order.held', 'ann', '1500']);
  assert.ok(Math.abs(Date.parse(body.timestamp) - Date.now()) < 60_000);
});

test('what cannot be written holds up no event, and is written once, in its order, when it can', async () => {
  const id = await endpoint();
  await db.sql(`ALTER TABLE ledger.webhook_deliveries ADD CONSTRAINT broken CHECK (event_type = '') NOT VALID`);
  const { skuId } = await db.sku();
  const { orderId } = await db.order(claimOf('ann', skuId));
  await rejectionOf(tell(), pg.DatabaseError);
  await db.ledger.orderCancel({ orderId });
  await rejectionOf(tell(), pg.DatabaseError);
  assert.equal(await db.ledger.outboxTake(10), []);
  assert.equal(await listed(id), []);
  await db.sql('ALTER TABLE ledger.webhook_deliveries DROP CONSTRAINT broken');
  assert.is(
    (await Promise.all(Array.from({ length: 8 }, add))).reduce((sum, count) => sum + count),
    2,
  );
  const types = (await listed(id)).map(({ eventType }) => eventType);
  assert.equal(types, ['order.cancelled', 'order.held']);
  assert.is(await add(), 0);
});

test('whoever dies while it writes leaves everything due', async () => {
  const id = await endpoint();
  const { skuId } = await db.sku();
  await db.order(claimOf('ann', skuId));
  await db.ledger.outboxMarkPublished((await db.ledger.outboxTake(10)).map((entry) => entry.id));
  const rival = new pg.Client({ connectionString: db.url });
  await rival.connect();
  await rival.query('BEGIN');
  await rival.query('SELECT ledger.webhook_deliveries_add(10)');
  assert.is(await add(), 0);
  await rival.query('ROLLBACK');
  await rival.end();
  assert.is(await add(), 1);
  assert.is((await listed(id)).length, 1);
});

test('an endpoint that is removed meanwhile gets nothing, and holds up no other', async () => {
  const gone = await endpoint();
  const stays = await endpoint();
  const { skuId } = await db.sku();
  await db.order(claimOf('ann', skuId));
  await db.ledger.outboxMarkPublished((await db.ledger.outboxTake(10)).map((entry) => entry.id));
  const rival = new pg.Client({ connectionString: db.url });
  await rival.connect();
  await rival.query('BEGIN');
  await rival.query(`SELECT ledger.webhook_endpoint_set($1, 'REMOVE', '', 'olga', $2)`, [gone, randomUUID()]);
  const adding = add();
  await until(
    async () =>
      (await db.sql(`SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`))
        .length > 0,
  );
  await rival.query('COMMIT');
  await rival.end();
  assert.is(await adding, 1);
  assert.is((await listed(stays)).length, 1);
});

test('refunds are told: asked for, made by the provider, asked for by nobody, and withdrawn', async () => {
  const id = await endpoint({ eventTypes: ['refund.*'] });
  const { skuId } = await db.sku();
  const order = await db.order(claimOf('ann', skuId));
  const of = { provider: 'bank', providerPaymentId: order.orderId };
  await db.ledger.paymentConfirm(paymentOf(order));
  await db.ledger.orderCancel({ orderId: order.orderId });
  await tell();
  for (const _ of [1, 2]) await db.ledger.refundRecord({ ...of, refundId: 'r1', amountMinor: 1_500 });
  await db.ledger.refundRecord({ ...of, refundId: 'r2', amountMinor: 1 });
  const wrong = await db.order(claimOf('bob', skuId));
  await db.ledger.paymentConfirm({ ...paymentOf(wrong), amountMinor: 1_400 });
  await db.ledger.moneySettle({
    ...{ provider: 'bank', providerPaymentId: wrong.orderId, verb: 'WRITE_OFF', reason: 'they called', ...olga() },
  });
  await tell();
  const bodies = (await listed(id)).reverse().map(({ payload }) => JSON.parse(payload));
  assert.equal(
    bodies.map(({ type, data }) => [type, data.order_id, data.number, data.amount_minor, data.reason, data.refund_id]),
    [
      ['refund.due', order.orderId, 1, '1500', 'CANCELLED', undefined],
      ['refund.done', order.orderId, 1, '1500', 'CANCELLED', 'r1'],
      ['refund.done', order.orderId, 2, '1', 'UNREQUESTED', 'r2'],
      ['refund.due', wrong.orderId, 1, '1400', 'WRONG_AMOUNT', undefined],
      ['refund.withdrawn', wrong.orderId, 1, '1400', 'WRONG_AMOUNT', undefined],
    ],
  );
  assert.equal(await db.ledger.outboxTake(10), []);
});

test('one event at a time is given, to one sender, in the order of the events', async () => {
  const id = await endpoint();
  for (const user of ['ann', 'bob']) await told(user);
  const races = await Promise.all(Array.from({ length: 8 }, claim));
  const first = only(races.flat());
  assert.equal([first.endpointId, first.secrets, first.attempts], [id, [secret], 0]);
  assert.match(first.payload, 'ann');
  assert.is(await note(first, 'RETRY', 60_000), 'ACTIVE');
  assert.equal(await claim(), []);
  await db.sql('UPDATE ledger.webhook_deliveries SET next_attempt_at = now() WHERE attempts > 0');
  const again = only(await claim());
  assert.equal([again.eventId, again.attempts, again.failing], [first.eventId, 1, true]);
  await note(again, 'DELIVERED');
  assert.match(only(await claim()).payload, 'bob');
});

test('while a claim is under way nobody else gets its endpoint, nor waits for it', async () => {
  await endpoint();
  await told('ann');
  const rival = new pg.Client({ connectionString: db.url });
  await rival.connect();
  try {
    await rival.query('BEGIN');
    const { rowCount } = await rival.query('SELECT * FROM ledger.webhook_claim(10, 5, 60000)');
    assert.is(rowCount, 1);
    assert.equal(await claim(), []);
    await rival.query('COMMIT');
  } finally {
    await rival.end();
  }
  assert.equal(await claim(), []);
});

test('a lease that ended is taken over, and whoever had it is not heard any more', async () => {
  await endpoint();
  await told('ann');
  const slow = only(await claim());
  await db.sql(`UPDATE ledger.webhook_endpoints SET leased_until = now() - interval '1 second'`);
  const next = only(await claim());
  assert.equal([next.eventId, next.lease], [slow.eventId, slow.lease + 1]);
  assert.is(await note(slow, 'FAILED'), undefined);
  assert.is(await note(next, 'DELIVERED'), 'ACTIVE');
  assert.equal(
    (await listed(next.endpointId)).map(({ state, attempts }) => [state, attempts]),
    [['DELIVERED', 1]],
  );
});

test('an endpoint that failed for too long is disabled with an alert, and sends what waited when it is resumed', async () => {
  const id = await endpoint();
  await told('ann');
  await note(only(await claim()), 'RETRY');
  await db.sql(`UPDATE ledger.webhook_endpoints SET failing_since = now() - interval '2 hours'`);
  assert.is(await note(only(await claim()), 'RETRY'), 'DISABLED');
  await told('bob');
  assert.equal(await claim(), []);
  const { alerts } = await db.ledger.alertsList({ withCleared: false }, {});
  assert.equal(
    alerts.map(({ kind, subject }) => [kind, subject]),
    [['WEBHOOK_DISABLED', id]],
  );
  await db.ledger.webhookEndpointSet(id, 'RESUME', olga());
  assert.equal((await db.ledger.alertsList({ withCleared: false }, {})).alerts, []);
  const first = only(await claim());
  assert.equal([first.attempts, first.failing], [0, false]);
  await note(first, 'DELIVERED');
  assert.match(only(await claim()).payload, 'bob');
});

test('an endpoint that is gone is disabled at once, and one success ends its failing', async () => {
  const id = await endpoint();
  await told('ann');
  await note(only(await claim()), 'RETRY');
  assert.ok((await db.ledger.webhookEndpointGet(id)).failingSince);
  await note(only(await claim()), 'DELIVERED');
  assert.not((await db.ledger.webhookEndpointGet(id)).failingSince);
  await told('bob');
  assert.is(await note(only(await claim()), 'GONE'), 'DISABLED');
  assert.match((await db.ledger.webhookEndpointGet(id)).stateReason, '410');
});

test('what failed is replayed in its order, under the same ids', async () => {
  const id = await endpoint();
  for (const user of ['ann', 'bob', 'cid']) await told(user);
  const ids: string[] = [];
  for (const outcome of ['FAILED', 'DELIVERED', 'FAILED'] as const) {
    const claimed = only(await claim());
    ids.push(claimed.eventId);
    await note(claimed, outcome);
  }
  assert.is(await db.ledger.webhookReplay(id, { failedSince: new Date(Date.now() + 60_000) }, olga()), 0);
  assert.is(await db.ledger.webhookReplay(id, { failedSince: new Date(0) }, olga()), 2);
  const again: string[] = [];
  for (const _ of [1, 2]) {
    const claimed = only(await claim());
    again.push(claimed.eventId);
    await note(claimed, 'DELIVERED');
  }
  assert.equal(again, [ids[0], ids[2]]);
  assert.is(await db.ledger.webhookReplay(id, { eventId: ids[1] ?? '' }, olga()), 1);
  assert.is(only(await claim()).eventId, ids[1]);
});

test('10,000 events wait for an endpoint at most, and what comes then can be replayed', async () => {
  const id = await endpoint();
  await db.sql(
    `INSERT INTO ledger.webhook_deliveries (endpoint_id, event_id, event_type, payload, state, created_at, next_attempt_at)
     SELECT $1, 'old ' || i, 'order.held', '{}', 'DUE', now(), now() FROM generate_series(1, 9999) AS i`,
    [id],
  );
  for (const user of ['ann', 'bob']) await db.order(claimOf(user, (await db.sku()).skuId));
  await tell();
  const newest = (await listed(id)).slice(0, 2);
  assert.equal(
    newest.map(({ state, lastError }) => [state, lastError]),
    [
      ['FAILED', 'too many events wait for this endpoint'],
      ['DUE', ''],
    ],
  );
  assert.is(await db.ledger.webhookReplay(id, { failedSince: new Date(0) }, olga()), 1);
});

test('failing endpoints take no more than their part of the room', async () => {
  const ids = await Promise.all([1, 2, 3, 4].map(() => endpoint()));
  await db.sql('UPDATE ledger.webhook_endpoints SET failing_since = now() WHERE endpoint_id <> $1', [ids[0]]);
  await told('ann');
  const given = await db.ledger.webhookClaim({ atMost: 3, atMostFailing: 1, leaseMs: 60_000 });
  assert.is(given.filter(({ failing }) => failing).length, 1);
  assert.is(given.filter(({ endpointId }) => endpointId === ids[0]).length, 1);
});

test('what is over for long is taken away, what is due stays, and an endpoint goes with its deliveries', async () => {
  const id = await endpoint();
  for (const user of ['ann', 'bob']) await told(user);
  await note(only(await claim()), 'DELIVERED');
  await db.sql(`UPDATE ledger.webhook_deliveries SET created_at = now() - interval '2 days'`);
  assert.is(await db.ledger.webhookPrune(86_400_000, 100), 1);
  assert.equal(
    (await listed(id)).map(({ state }) => state),
    ['DUE'],
  );
  await db.ledger.webhookEndpointSet(id, 'REMOVE', olga());
  assert.equal(await db.sql('SELECT 1 FROM ledger.webhook_deliveries'), []);
  assert.is((await rejectionOf(db.ledger.webhookEndpointGet(id), Fault)).reason, 'WEBHOOK_ENDPOINT_NOT_FOUND');
});

test.run();
