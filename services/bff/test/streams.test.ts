import { AvailabilityState } from '#libs/contracts/gen/holdfast/inventory/v1/sku.js';
import { type Order, OrderState } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import { PlaceState } from '#libs/contracts/gen/holdfast/reservation/v1/reservation_service.js';
import { type WaitlistEntry, WaitlistState } from '#libs/contracts/gen/holdfast/waitlist/v1/waitlist.js';
import { Fault } from '#libs/refusal/fault.js';
import { type Listening, listen } from '#libs/testing/listen.js';
import { assert, suite } from '#libs/testing/suite.js';
import { bearerOf } from '#libs/testing/test-issuer.js';
import { until } from '#libs/testing/until.js';
import { type EdgeUnderTest, placesOf, startEdgeUnderTest } from './edge-under-test.js';
import { availability, orderOf } from './fake-gateway.js';

const test = suite('bff streams');
const opened: Listening[] = [];
let edge: EdgeUnderTest;

test.before(async () => {
  edge = await startEdgeUnderTest();
});
test.before.each(() => edge.reset());
test.after.each(async () => {
  for (const listening of opened.splice(0)) listening.close();
  // Whoever comes while the stream before is open shares its watch.
  await until(() => edge.asked.orders.watching + edge.asked.entries.watching + edge.asked.places.watching === 0);
});
test.after(() => edge.close());

const path = '/v1/orders/o-1/events';
const held = (version: number, more: Partial<Order> = {}): Order => orderOf({ orderId: 'o-1', version, ...more });
const cancelled = (version: number): Order => held(version, { state: OrderState.ORDER_STATE_CANCELLED });

async function hear(where: string, lastId?: string, user = 'ana'): Promise<Listening> {
  const headers = { authorization: bearerOf(user), ...(lastId !== undefined && { 'last-event-id': lastId }) };
  const listening = await listen(edge.base + where, headers);
  opened.push(listening);
  return listening;
}

const idsOf = ({ events }: Listening): string[] => events.map(({ id }) => id);
const heardAll = (listening: Listening, ids: string[]): Promise<boolean> =>
  until(() => idsOf(listening).join() === ids.join(), { describe: () => `${idsOf(listening)} is not ${ids}` });

test('an order is told as it is, then after each change, until its state is final', async () => {
  edge.asked.orders.now = held(1, { state: OrderState.ORDER_STATE_PENDING, version: 0 });
  const listening = await hear(path);
  const { status, headers } = listening;
  assert.is(status, 200);
  for (const [name, value] of [
    ['content-type', 'text/event-stream'],
    ['cache-control', 'no-store'],
    ['x-accel-buffering', 'no'],
    ['connection', 'close'],
  ] as const) {
    assert.is(headers.get(name), value);
  }
  await heardAll(listening, ['0']);
  edge.asked.orders.say(held(1));
  await heardAll(listening, ['0', '1']);
  edge.asked.orders.say(held(2, { state: OrderState.ORDER_STATE_CONFIRMED, code: 'R5EZ7776' }));
  edge.asked.orders.say(cancelled(3));
  await until(() => listening.end === 'clean');
  assert.equal(
    listening.events.map(({ event, id, data }) => [event, id, data.state, data.version]),
    [
      ['order', '0', 'PENDING', 0],
      ['order', '1', 'HELD', 1],
      ['order', '2', 'CONFIRMED', 2],
      ['order', '3', 'CANCELLED', 3],
    ],
  );
  const read = await edge.get('/v1/orders/o-1');
  assert.equal(listening.events[1]?.data, { ...read.body, order_id: 'o-1' });
});

test('who comes back with the newest id hears only what is new, with an older one the state of today', async () => {
  edge.asked.orders.now = held(4);
  for (const [lastId, ids] of [
    ['4', []],
    ['3', ['4']],
    ['something else', ['4']],
  ] as const) {
    const listening = await hear(path, lastId);
    await until(() => listening.retries.length === 1);
    await heardAll(listening, [...ids]);
    edge.asked.orders.say(held(5));
    await heardAll(listening, [...ids, '5']);
    listening.close();
    await until(() => edge.asked.orders.watching === 0);
    edge.asked.orders.now = held(4);
  }
});

test('who has seen the last word is told by 204 not to come back; who has not hears it', async () => {
  edge.asked.orders.now = cancelled(7);
  const over = await hear(path, '7');
  assert.equal([over.status, over.text], [204, '']);
  const late = await hear(path, '6');
  await until(() => late.end === 'clean');
  assert.equal([late.status, idsOf(late)], [200, ['7']]);
  assert.is(edge.asked.orders.watching, 0);
});

test('what goes wrong before the first word is a problem, as for every other request', async () => {
  const problems: [Fault, number][] = [
    [new Fault('ORDER_NOT_FOUND', 'There is no such order'), 404],
    [new Fault('RATE_LIMITED', 'slowly', { metadata: { limit: 'USER' }, retryAfterMs: 1_500 }), 429],
    [new Fault('BUSY', 'too many are watched here'), 503],
  ];
  for (const [fault, status] of problems) {
    edge.asked.orders.now = fault;
    const said = await hear(path);
    const { reason } = JSON.parse(said.text);
    assert.equal([said.status, said.headers.get('content-type')], [status, 'application/problem+json']);
    assert.equal([reason, said.headers.has('retry-after')], [fault.reason, status !== 404]);
  }
  assert.is((await edge.ask(path)).status, 401);
  assert.is((await edge.ask(path, { method: 'POST', headers: { authorization: bearerOf('ana') } })).status, 405);
  const query = await edge.get(`${path}?token=secret`);
  assert.equal([query.status, placesOf(query)], [400, ['token']]);
  assert.is((await edge.get('/v1/orders/a%20b/events')).status, 400);
});

test('HEAD is told what there would be, and no stream is opened', async () => {
  edge.asked.orders.now = held(1);
  const { status, headers } = await edge.ask(path, { method: 'HEAD', headers: { authorization: bearerOf('ana') } });
  assert.equal([status, headers.get('content-type')], [200, 'text/event-stream']);
  await until(() => edge.asked.orders.watching === 0);
});

test('the tabs of one user share one watch, those of another have their own', async () => {
  edge.asked.orders.now = held(1);
  const tabs = await Promise.all(Array.from({ length: 10 }, () => hear(path)));
  const other = await hear(path, undefined, 'bob');
  assert.equal(edge.asked.orders.asked.toSorted(), ['ana o-1', 'bob o-1']);
  edge.asked.orders.say(held(2));
  for (const tab of [...tabs, other]) await heardAll(tab, ['1', '2']);
  for (const tab of tabs.slice(1)) tab.close();
  edge.asked.orders.say(held(3));
  await heardAll(tabs[0] as Listening, ['1', '2', '3']);
  tabs[0]?.close();
  await until(() => edge.asked.orders.watching === 1);
});

test('a gateway that goes is not noticed: nothing is told twice, and nothing is missed', async () => {
  edge.asked.orders.now = held(1);
  const listening = await hear(path);
  for (let version = 2; version <= 4; version += 1) {
    edge.asked.orders.breakOff(new Fault('UNAVAILABLE', 'the process is going'));
    await until(() => edge.asked.orders.asked.length === version && edge.asked.orders.watching === 1);
    edge.asked.orders.say(held(version));
  }
  await heardAll(listening, ['1', '2', '3', '4']);
});

test('who may not listen any more is sent away, and hears why when coming back', async () => {
  edge.asked.orders.now = held(1);
  const listening = await hear(path);
  edge.asked.orders.now = new Fault('ORDER_NOT_FOUND', 'There is no such order');
  edge.asked.orders.breakOff(new Fault('UNAVAILABLE', 'the process is going'));
  await until(() => listening.end === 'clean');
  assert.is((await hear(path, '1')).status, 404);
});

test('an entry of a waitlist is told as its place comes nearer, and its offer', async () => {
  const entry: WaitlistEntry = {
    ...{ entryId: 'e-1', storeId: 'store-1', skuId: 'sku-1', userId: 'ana', quantity: 1, orderId: '', version: 1 },
    ...{ state: WaitlistState.WAITLIST_STATE_WAITING, peopleAhead: 2, barredReason: '' },
    ...{ joinedAt: new Date('2030-01-01T00:00:00.000Z'), offerExpiresAt: undefined, estimatedSeconds: 60 },
  };
  edge.asked.entries.now = entry;
  const listening = await hear('/v1/waitlist/e-1/events');
  edge.asked.entries.say({ ...entry, peopleAhead: 1 });
  edge.asked.entries.say({ ...entry, state: WaitlistState.WAITLIST_STATE_OFFERED, version: 2, orderId: 'o-2' });
  edge.asked.entries.say({ ...entry, state: WaitlistState.WAITLIST_STATE_PROMOTED, version: 3, orderId: 'o-2' });
  await until(() => listening.end === 'clean');
  assert.equal(
    listening.events.map(({ event, data }) => [event, data.state, data.people_ahead, data.order_id]),
    [
      ['entry', 'WAITING', 2, undefined],
      ['entry', 'WAITING', 1, undefined],
      ['entry', 'OFFERED', undefined, 'o-2'],
      ['entry', 'PROMOTED', undefined, 'o-2'],
    ],
  );
  assert.is((await hear('/v1/waitlist/e-1/events', listening.events.at(-1)?.id)).status, 204);
});

test('a place in line is told as it moves, not for every millisecond, until its turn has come', async () => {
  const waiting = { state: PlaceState.PLACE_STATE_WAITING, peopleAhead: 9, retryAfterMs: 900 };
  edge.asked.places.now = waiting;
  const listening = await hear('/v1/stores/store-1/skus/sku-1/place/events');
  assert.equal(edge.asked.places.asked, ['ana store-1 sku-1']);
  edge.asked.places.say({ ...waiting, retryAfterMs: 800 });
  edge.asked.places.say({ ...waiting, peopleAhead: 3, retryAfterMs: 300 });
  edge.asked.places.say({ state: PlaceState.PLACE_STATE_DUE, peopleAhead: 0, retryAfterMs: 0 });
  await until(() => listening.end === 'clean');
  const place = { store_id: 'store-1', sku_id: 'sku-1' };
  assert.equal(
    listening.events.map(({ data }) => data),
    [
      { ...place, state: 'WAITING', people_ahead: 9, retry_after_ms: 900 },
      { ...place, state: 'WAITING', people_ahead: 3, retry_after_ms: 300 },
      { ...place, state: 'DUE' },
    ],
  );
  assert.is((await hear('/v1/stores/store-1/skus/sku-1/place/events', 'DUE')).status, 204);
});

test('anybody hears where the units of a sku are; any number of listeners cost one read', async () => {
  const where = (skuId: string): string => `/v1/skus/${skuId}/availability/events`;
  const listeners = await Promise.all(
    Array.from({ length: 60 }, async (_, n) => {
      const listening = await listen(edge.base + where(`sku-${n % 3}`));
      opened.push(listening);
      return listening;
    }),
  );
  for (const listening of listeners) await until(() => listening.events.length === 1);
  const opensInMs = 5;
  const taken = { state: AvailabilityState.AVAILABILITY_STATE_ALL_HELD, free: 0, held: 8 };
  edge.asked.availabilityOf = (skuId) => ({ ...availability, skuId, ...(skuId === 'sku-1' && taken), opensInMs });
  for (const [n, listening] of listeners.entries()) {
    if (n % 3 === 1) await until(() => listening.events.length === 2);
    assert.is(listening.events.length, n % 3 === 1 ? 2 : 1);
  }
  const [first, second] = listeners[1]?.events ?? [];
  assert.equal([first?.event, first?.data.free, first?.data.sku_id], ['availability', 7, 'sku-1']);
  assert.equal([second?.data.free, second?.data.state, second?.data.opens_in_ms], [0, 'ALL_HELD', '5']);
  const { availabilityReads: reads } = edge.asked;
  assert.equal(reads.flat().toSorted().slice(0, 3).length, 3);
  assert.ok(reads.length <= 6, `${reads.length} reads`);
  assert.is((await hear(where('sku-1'), second?.id)).status, 200);

  edge.asked.availabilityOf = (skuId) => ({ ...availability, skuId, cancelledAt: new Date('2030-01-01T00:00:00Z') });
  for (const listening of listeners) await until(() => listening.end === 'clean');
  const last = listeners[0]?.events.at(-1);
  assert.is(last?.data.cancelled_at, '2030-01-01T00:00:00.000Z');
  assert.is((await hear(where('sku-0'), last?.id)).status, 204);
  edge.asked.availabilityOf = () => undefined;
  assert.is((await hear(where('sku-9'))).status, 404);
});

test.run();
