import { randomUUID } from 'node:crypto';
import { type Listening, listen } from '#libs/testing/listen.js';
import { assert, suite } from '#libs/testing/suite.js';
import { bearerOf } from '#libs/testing/test-issuer.js';
import { until } from '#libs/testing/until.js';
import { onSale, somebody } from './on-sale.js';
import { type HttpSaid, type Press, pressHttp } from './press.js';
import { startTestMesh, type TestMesh } from './test-mesh.js';

const test = suite('live');
const opened: Listening[] = [];
let mesh: TestMesh;

test.before(async () => {
  mesh = await startTestMesh({ gateways: 2, sandbox: true, gatewayEnv: { REDIS_TIMEOUT_MS: '2000' } });
});
test.after.each(() => {
  for (const listening of opened.splice(0)) listening.close();
});
test.after(() => mesh.close());

const generous = { perSecond: 1_000, burst: 1_000 };

async function hear(path: string, user: string, lastId?: string): Promise<Listening> {
  const headers = { authorization: bearerOf(user), ...(lastId !== undefined && { 'last-event-id': lastId }) };
  const listening = await listen(mesh.http + path, headers);
  opened.push(listening);
  return listening;
}

async function post(path: string, user: string, body?: object): Promise<HttpSaid> {
  const response = await fetch(mesh.http + path, {
    method: 'POST',
    headers: { authorization: bearerOf(user), 'idempotency-key': randomUUID(), 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as HttpSaid['body'], headers: response.headers };
}

const seen = ({ events }: Listening, member: string): unknown[] => events.map(({ data }) => data[member]);

test('an order is heard from HELD to CONFIRMED to its end, and who comes back hears what is left', async () => {
  const sku = await onSale(mesh, generous, { paymentRequired: true, priceMinor: 1_500 });
  const ada = somebody(sku);
  const order = await pressHttp(mesh.http, ada);
  assert.equal([order.status, order.body.state], [201, 'HELD']);
  const path = `/v1/orders/${order.body.order_id}`;
  const tabs = await Promise.all([1, 2, 3].map(() => hear(`${path}/events`, ada.user)));
  for (const tab of tabs) await until(() => seen(tab, 'state').join() === 'HELD');
  assert.is((await hear(`${path}/events`, 'somebody-else')).status, 404);

  const { body: session } = await post(`${path}/payment`, ada.user);
  await fetch(`${session.url}/press`, { method: 'POST' });
  for (const tab of tabs) await until(() => seen(tab, 'state').join() === 'HELD,CONFIRMED');
  const [first, confirmed] = tabs[0]?.events ?? [];
  assert.match(String(confirmed?.data.code), /^\w+$/);
  const resumed = await hear(`${path}/events`, ada.user, confirmed?.id);
  const behind = await hear(`${path}/events`, ada.user, first?.id);
  await until(() => seen(behind, 'state').join() === 'CONFIRMED');

  assert.is((await post(`${path}:cancel`, ada.user, {})).status, 200);
  for (const heard of [...tabs, resumed, behind]) await until(() => heard.end === 'clean');
  assert.equal(seen(resumed, 'state'), ['CANCELLED']);
  assert.equal(seen(behind, 'state'), ['CONFIRMED', 'CANCELLED']);
  const over = await hear(`${path}/events`, ada.user, resumed.events[0]?.id);
  assert.equal([over.status, over.text], [204, '']);
});

test('a place in line is heard coming nearer, and keeps its turn', async () => {
  const sku = await onSale(mesh, { perSecond: 4, burst: 2, onBusy: 'QUEUE' });
  const people: Press[] = [];
  await until(async () => {
    const person = somebody(sku);
    if ((await pressHttp(mesh.http, person)).body.state === 'QUEUED') people.push(person);
    return people.length === 5;
  });
  const path = `/v1/stores/${sku.storeId}/skus/${sku.skuId}/place/events`;
  const heard = await Promise.all(people.map(({ user }) => hear(path, user)));
  const last = heard.at(-1) as Listening;
  await until(() => last.end === 'clean');
  for (const [index, { events }] of heard.entries()) {
    const ahead = events.flatMap(({ data }) => (data.state === 'WAITING' ? [Number(data.people_ahead)] : []));
    assert.equal(
      ahead,
      [...new Set(ahead)].toSorted((a, b) => b - a),
      `${index}: ${ahead}`,
    );
    assert.is(events.at(-1)?.data.state, 'DUE');
  }
  assert.ok(seen(last, 'people_ahead').length > 2, `${seen(last, 'people_ahead')}`);
  const { user } = people.at(-1) as Press;
  assert.is((await hear(path, user, 'DUE')).status, 204);
  await until(async () => (await pressHttp(mesh.http, people.at(-1) as Press)).status === 201);
  const none = await hear(path, 'nobody-in-line');
  await until(() => none.end === 'clean');
  assert.equal(seen(none, 'state'), ['GONE']);
});

test('an entry of a waitlist is heard coming nearer and being offered what came back', async () => {
  const terms = { capacity: 2, perUserLimit: 1, paymentRequired: true, onSoldOut: 'JOIN_WAITLIST' } as const;
  const sku = await onSale(mesh, generous, terms);
  const buyers = [somebody(sku), somebody(sku)];
  const orders = await Promise.all(buyers.map((buyer) => pressHttp(mesh.http, buyer)));
  assert.equal(
    orders.map(({ status }) => status),
    [201, 201],
  );
  const waiting = [somebody(sku), somebody(sku)];
  const entries: HttpSaid[] = [];
  for (const person of waiting) entries.push(await pressHttp(mesh.http, person));
  const heard = await Promise.all(
    entries.map(({ body }, n) => hear(`/v1/waitlist/${body.entry_id}/events`, waiting[n]?.user ?? '')),
  );
  const second = heard[1] as Listening;
  await until(() => seen(second, 'people_ahead').join() === '1');
  for (const [n, { body }] of orders.entries()) {
    assert.is((await post(`/v1/orders/${body.order_id}:cancel`, buyers[n]?.user ?? '', {})).status, 200);
    await until(() => seen(heard[n] as Listening, 'state').at(-1) === 'OFFERED');
  }
  assert.is(
    seen(second, 'state')
      .join()
      .replace(/(WAITING,)+/, 'WAITING,'),
    'WAITING,OFFERED',
  );
  assert.ok(seen(second, 'order_id').at(-1));
});

test('where the units of a sku are is heard by anybody as they go', async () => {
  const sku = await onSale(mesh, generous, { capacity: 2, perUserLimit: 1, paymentRequired: true });
  const listeners = await Promise.all(
    Array.from({ length: 50 }, () => hear(`/v1/skus/${sku.skuId}/availability/events`, '')),
  );
  for (const listener of listeners) await until(() => seen(listener, 'free').join() === '2');
  for (const person of [somebody(sku), somebody(sku)]) assert.is((await pressHttp(mesh.http, person)).status, 201);
  for (const listener of listeners) await until(() => seen(listener, 'state').at(-1) === 'ALL_HELD');
  assert.is(listeners[0]?.events.at(-1)?.data.free, 0);
  assert.is((await hear('/v1/skus/no-such-sku/availability/events', '')).status, 404);
});

test.run();
