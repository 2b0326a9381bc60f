import { OrderChanged } from '#libs/contracts/gen/holdfast/event/v1/order_event.js';
import { OrderState } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import { orderEventsStream } from '#libs/contracts/subjects.js';
import type { OutboxEntry } from '#libs/ledger/outbox.js';
import { claimOf, lineOf } from '#libs/ledger/test-ledger.js';
import { Fault } from '#libs/refusal/fault.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { type RelayPorts, relayRound } from '../src/app/relay-outbox.js';
import { Stage } from './test-stage.js';

const test = suite('the outbox relay');
let stage: Stage;

test.before.each(async () => {
  stage = await Stage.open();
});
test.after.each(() => stage.close());

/** A HELD order, admitted by somebody else than the service under test. */
async function held(user: string): Promise<string> {
  const { skuId } = await stage.ledger.sku();
  const claim = claimOf(user, skuId);
  await stage.ledger.ledger.claimsAdmit([claim]);
  return claim.orderId;
}

const cancel = (orderId: string) => stage.ledger.ledger.orderCancel({ orderId });
const unpublished = () => stage.count('outbox', 'published_at IS NULL');

interface StoredEvent {
  readonly event: OrderChanged;
  readonly subject: string;
  readonly header: (name: string) => string;
}

/** All events in the stream, in its order. */
async function storedEvents(): Promise<StoredEvent[]> {
  const info = await stage.streams.streams.info(orderEventsStream).catch(() => undefined);
  const stored: StoredEvent[] = [];
  for (let seq = 1; seq <= (info?.state.last_seq ?? 0); seq += 1) {
    const { data, subject, header } = await stage.streams.streams.getMessage(orderEventsStream, { seq });
    stored.push({ event: OrderChanged.decode(data), subject, header: (name) => header.get(name) });
  }
  return stored;
}

/** The relay on the real ledger with a stream of the test's own. */
function portsTo(store: (entry: OutboxEntry) => Promise<void>): RelayPorts {
  const { ledger } = stage.ledger;
  return {
    isMine: async () => true,
    streamReady: async () => true,
    outboxTake: (limit) => ledger.outboxTake(limit),
    store,
    outboxMarkPublished: async (entries) => void (await ledger.outboxMarkPublished(entries.map(({ id }) => id))),
    alertsUntold: (limit) => ledger.alertsUntold(limit),
    storeAlert: async () => undefined,
    alertsMarkTold: (told) => ledger.alertsMarkTold(told),
    failed: () => undefined,
  };
}

test('a change of an order is told as a CloudEvent, on the subject of its state and store', async () => {
  const service = await stage.start();
  const orderId = await held('ann');
  await until(async () => (await unpublished()) === 0);
  const [stored] = await storedEvents();
  assert.is(stored?.event.orderId, orderId);
  assert.is(stored?.event.state, OrderState.ORDER_STATE_HELD);
  assert.match(stored?.subject ?? '', /^order\.v1\.held\.\d+$/);
  const [row] = await stage.ledger.sql<{ id: number; at: Date }>('SELECT id, at FROM ledger.outbox');
  const attributes = ['ce-id', 'ce-specversion', 'ce-type', 'ce-source', 'ce-time'].map((name) => stored?.header(name));
  const type = 'holdfast.event.v1.OrderChanged';
  assert.equal(attributes, [String(row?.id), '1.0', type, '/holdfast/order', row?.at.toISOString()]);
  assert.is(stored?.header('Nats-Msg-Id'), String(row?.id));
  await service.stop();
});

test('F14 a first event that fails holds back its own order only, and a restarted relay tells all in order', async () => {
  const [first, second] = [await held('ann'), await held('bob')];
  await cancel(first);
  const told: string[] = [];
  const versionOf = (entry: OutboxEntry): number => (entry.kind === 'ORDER' ? entry.version : 0);
  const record = (entry: OutboxEntry): number => told.push(`${entry.orderId} ${versionOf(entry)}`);
  const failing = portsTo(async (entry) => {
    if (entry.orderId === first && versionOf(entry) === 1) throw new Fault('UNAVAILABLE', 'the stream did not answer');
    record(entry);
  });
  await rejectionOf(relayRound(failing), Fault);
  assert.equal(told, [`${second} 1`]);
  assert.is(await unpublished(), 2);

  await relayRound(portsTo(async (entry) => void record(entry)));
  assert.equal(told, [`${second} 1`, `${first} 1`, `${first} 2`]);
  assert.is(await unpublished(), 0);
});

test('an event whose id is lower but became visible later is told too', async () => {
  const [early, late] = [await held('ann'), await held('bob')];
  // As if the transaction of the lower id had been open all the while.
  await stage.ledger.sql(`CREATE TABLE public.kept AS SELECT * FROM ledger.outbox WHERE order_id = '${early}'`);
  await stage.ledger.sql(`DELETE FROM ledger.outbox WHERE order_id = '${early}'`);
  const told: string[] = [];
  const ports = portsTo(async (entry) => void told.push(entry.orderId));
  await relayRound(ports);
  await stage.ledger.sql('INSERT INTO ledger.outbox OVERRIDING SYSTEM VALUE SELECT * FROM public.kept');
  await relayRound(ports);
  assert.equal(told, [late, early]);
});

test('F15 an order cancelled by a process that was killed before it could tell is told by the next', async () => {
  const orderId = await held('ann');
  const { child, client } = await stage.spawn();
  await until(async () => (await unpublished()) === 0);
  stage.nats.freeze();
  await client.cancelOrder({ orderId, userId: 'ann', requestId: 'r', reason: '' });
  assert.is(await unpublished(), 1);
  child.kill('SIGKILL');
  await until(() => child.signalCode !== null);
  client.close();
  stage.nats.thaw();

  const next = await stage.start();
  await until(async () => (await unpublished()) === 0);
  const versions = (await storedEvents()).map(({ event }) => [event.orderId, event.version]);
  assert.equal(versions, [
    [orderId, 1],
    [orderId, 2],
  ]);
  await next.stop();
});

test('one of several processes relays, and another takes over when it ends', async () => {
  const services = [await stage.start(), await stage.start()];
  const relays = async () =>
    await stage.ledger.sql(`SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted AND database =
      (SELECT oid FROM pg_database WHERE datname = current_database())`);
  await until(async () => (await relays()).length === 1);
  await held('ann');
  await until(async () => (await unpublished()) === 0);
  await services[0]?.stop();
  await held('bob');
  await until(async () => (await unpublished()) === 0);
  assert.is((await storedEvents()).length, 2);
  await services[1]?.stop();
});

test('a relay whose connection to the ledger is cut takes the turn again', async () => {
  const service = await stage.start();
  await held('ann');
  await until(async () => (await unpublished()) === 0);
  await stage.ledger.sql(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'order-relay' AND datname = current_database()",
  );
  await held('bob');
  await until(async () => (await unpublished()) === 0);
  await service.stop();
});

test('a stream of events that is deleted is made again and nothing is marked that it does not have', async () => {
  const service = await stage.start();
  await held('ann');
  await until(async () => (await unpublished()) === 0);
  await stage.streams.streams.delete(orderEventsStream);
  const orderId = await held('bob');
  await until(async () => (await unpublished()) === 0);
  assert.equal(
    (await storedEvents()).map(({ event }) => event.orderId),
    [orderId],
  );
  await service.stop();
});

test('holds that ended and units that came back are counted as the movements have them', async () => {
  const { ledger } = stage.ledger;
  const { skuId } = await stage.ledger.sku({ capacity: 20, perUserLimit: 9 });
  const other = await stage.ledger.sku({ perUserLimit: 9 });
  const hold = (userId: string) => stage.ledger.order(claimOf(userId, [lineOf(skuId, userId, 3)]));
  const [ann, bob, cleo, dan] = [await hold('ann'), await hold('bob'), await hold('cleo'), await hold('dan')];
  const bank = { provider: 'bank', providerPaymentId: 'p-1', amountMinor: 4_500, currency: 'EUR' };
  const service = await stage.start();
  await ledger.paymentConfirm({ ...bank, orderId: ann.orderId });
  await ledger.orderCancelPart({ orderId: ann.orderId, lines: [lineOf(skuId, 'ann', 1)], requestId: 'r-1' });
  await ledger.orderMove({ orderId: cleo.orderId, toSkuId: other.skuId, requestId: 'r-2' });
  await cancel(bob.orderId);
  await stage.ledger.expire(dan.orderId);
  await ledger.ordersExpire(10);
  await until(async () => (await unpublished()) === 0);
  const released = await stage.ledger.sql<{ reason: string; units: number }>(
    `SELECT reason, sum(delta_free + delta_reserved)::int AS units FROM ledger.movements
     WHERE delta_free + delta_reserved > 0 GROUP BY reason ORDER BY reason`,
  );
  assert.equal(
    released.map(({ reason, units }) => [reason, units]),
    [
      ['CANCEL', 3],
      ['CANCEL_PART', 1],
      ['EXPIRE', 3],
      ['MOVE', 3],
    ],
  );
  for (const { reason, units } of released) {
    await until(async () => (await service.metric(`units_released_total{reason="${reason}"}`)) === units);
  }
  assert.is(await service.metric('units_released_total'), 10);
  for (const outcome of ['PAID', 'CANCELLED', 'EXPIRED']) {
    assert.is(await service.metric(`hold_seconds_count{outcome="${outcome}"}`), 1);
  }
  assert.is(await service.metric('hold_seconds_count'), 3);
  await service.stop();
});

test('without NATS_URL nothing is relayed and the verbs work', async () => {
  const service = await stage.start({ natsUrl: undefined });
  const orderId = await held('ann');
  const { order } = await service.client.cancelOrder({ orderId, userId: '', requestId: 'r', reason: 'ill' });
  assert.is(order?.state, OrderState.ORDER_STATE_CANCELLED);
  assert.is(await unpublished(), 2);
  await service.stop();
});

test.run();
