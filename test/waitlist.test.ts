import { randomUUID } from 'node:crypto';
import { offerOrderId, orderId } from '#libs/contracts/order-id.js';
import type { StockSetting } from '#libs/ledger/switches.js';
import { assert, suite } from '#libs/testing/suite.js';
import { bearerOf } from '#libs/testing/test-issuer.js';
import { until } from '#libs/testing/until.js';
import { Scene } from './anomaly/scene.js';
import type { Victim } from './victim.js';

const test = suite('waitlist');
let scene: Scene;
let victim: Victim;
let inventory: string;
let http: string;
const storeId = `store-${randomUUID()}`;

test.before(async () => {
  scene = await Scene.open();
  const { services, ledger, nats } = scene;
  victim = await scene.victim('order', { postgres: ledger.url, nats: nats.url });
  inventory = (await services.inventory()).grpcAddress;
  const gateway = (await services.gateway({ inventory, order: victim.address })).grpcAddress;
  http = (await services.bff({ gateway })).httpAddress;
});
test.after(() => scene.close());

interface Said {
  status: number;
  location: string | null;
  body: Record<string, unknown>;
}

async function ask(method: string, path: string, user: string, body?: object): Promise<Said> {
  const response = await fetch(`${http}${path}`, {
    method,
    headers: {
      authorization: bearerOf(user),
      'idempotency-key': `${method}-${path}-${user}`,
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  return {
    status: response.status,
    location: response.headers.get('location'),
    body: (await response.json()) as Said['body'],
  };
}

/** Wants one unit, again and again with one key, until there is an answer that is about the order. */
function want(user: string, skuId: string, more: object = {}): Promise<Said> {
  const lines = [{ sku_id: skuId, quantity: 1 }];
  return until(
    async () => {
      const said = await ask('POST', '/v1/orders', user, { store_id: storeId, lines, ...more });
      return said.status < 500 && said.body.reason !== 'REQUEST_IN_PROGRESS' ? said : undefined;
    },
    { timeoutMs: 30_000 },
  );
}

async function switchTo(setting: StockSetting): Promise<void> {
  const { ledger } = scene.ledger;
  const [set] = (await ledger.switchesRead()).filter(({ name }) => name === 'STOCK_PATH');
  await ledger.switchSet({
    name: 'STOCK_PATH',
    scope: { kind: 'ALL', storeId: '', skuId: '' },
    ...{ setting, expectedVersion: set?.version ?? 0, expiresInSeconds: 0 },
    ...{ reason: 'a test', setBy: 'ann', requestId: randomUUID() },
  });
}

async function eventsOf(entryId: string): Promise<string[]> {
  const rows = await scene.ledger.sql<{ state: string }>(
    `SELECT state FROM ledger.outbox WHERE order_id = $1 AND kind = 'WAITLIST' AND published_at IS NOT NULL ORDER BY id`,
    [entryId],
  );
  return rows.map(({ state }) => state);
}

for (const path of ['REDIS', 'POSTGRES'] as const) {
  test(`L10 J06: path ${path}: twenty wait for what is sold out; what comes free is the head's, whoever comes then`, async () => {
    await switchTo(path);
    const { skuId } = await scene.ledger.sku({ storeId, capacity: 1, onSoldOut: 'JOIN_WAITLIST' });
    const first = await want(`${path}-first`, skuId);
    assert.is(first.status, 201);
    const users = Array.from({ length: 20 }, (_, n) => `${path}-${n}`);
    const head = await want(users[0] as string, skuId);
    assert.equal([head.status, head.body.state, head.body.people_ahead], [202, 'WAITING', 0]);
    const joined = await Promise.all(users.slice(1).map((user) => want(user, skuId)));
    assert.equal(
      joined.map(({ body }) => body.people_ahead).sort((a, b) => Number(a) - Number(b)),
      joined.map((_, n) => n + 1),
    );
    const refused = await want(`${path}-no`, skuId, { on_sold_out: 'refuse' });
    assert.equal([refused.status, refused.body.reason], [409, 'ALL_HELD']);
    const again = await want(users[0] as string, skuId);
    assert.equal(again.body, head.body);

    const newcomers = Array.from({ length: 10 }, (_, n) => want(`${path}-new-${n}`, skuId, { on_sold_out: 'refuse' }));
    const cancelled = await ask('POST', `/v1/orders/${first.body.order_id}:cancel`, `${path}-first`, {});
    assert.is(cancelled.status, 200);
    for (const { status } of await Promise.all(newcomers)) assert.is(status, 409);

    const entryId = String(head.body.entry_id);
    assert.is(entryId, orderId(storeId, users[0] as string, `POST-/v1/orders-${users[0]}`));
    const entry = await ask('GET', head.location ?? '', users[0] as string);
    assert.equal([entry.body.state, entry.body.order_id], ['OFFERED', offerOrderId(entryId)]);
    const offered = await want(users[0] as string, skuId);
    assert.equal([offered.status, offered.body.order_id, offered.body.state], [201, offerOrderId(entryId), 'HELD']);

    const second = joined.find(({ body }) => body.people_ahead === 1);
    const leaver = users[1 + joined.indexOf(second as Said)] as string;
    const left = await ask('DELETE', second?.location ?? '', leaver);
    assert.equal([left.status, left.body.state], [200, 'LEFT']);
    assert.is((await ask('GET', second?.location ?? '', 'somebody-else')).status, 404);
    await scene.assertAtRest(inventory);
    assert.equal(await eventsOf(entryId), ['WAITING', 'OFFERED']);
  });
}

test('J03: the order service dies after a cancel was committed: the head has the unit, and each event is told once', async () => {
  await switchTo('AUTO');
  const { skuId } = await scene.ledger.sku({ storeId, capacity: 1, onSoldOut: 'JOIN_WAITLIST' });
  const first = await want('dies-first', skuId);
  const head = await want('dies-head', skuId);
  assert.equal([first.status, head.status], [201, 202]);
  const wish = { storeId, skuId, userId: 'dies-first', key: '', orderId: String(first.body.order_id) };
  const stock = await scene.lock(wish);
  const cancel = ask('POST', `/v1/orders/${wish.orderId}:cancel`, 'dies-first', {}).catch(() => undefined);
  await stock.somebodyWaits();
  victim.link('postgres').dropReplies();
  await stock.unlock();
  await until(async () => (await scene.stateOf(wish)) === 'CANCELLED');
  await victim.kill();
  await cancel;
  assert.is((await want('dies-new', skuId, { on_sold_out: 'refuse' })).status, 409);
  await victim.restart();
  const offered = await want('dies-head', skuId);
  assert.equal([offered.status, offered.body.order_id], [201, offerOrderId(String(head.body.entry_id))]);
  await scene.assertAtRest(inventory);
  assert.equal(await eventsOf(String(head.body.entry_id)), ['WAITING', 'OFFERED']);
});

test.run();
