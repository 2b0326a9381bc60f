import { randomUUID } from 'node:crypto';
import { type Listening, listen } from '#libs/testing/listen.js';
import { assert, suite } from '#libs/testing/suite.js';
import { bearerOf } from '#libs/testing/test-issuer.js';
import { until } from '#libs/testing/until.js';
import { onSale, somebody } from './on-sale.js';
import { pressHttp } from './press.js';
import { startTestMesh, type TestMesh } from './test-mesh.js';

const test = suite('conventions: server-sent events');
const opened: Listening[] = [];
let mesh: TestMesh;

/** Something to listen to, and how it comes to its end. */
interface Scene {
  event: string;
  path: string;
  user: string;
  end?: () => Promise<unknown>;
}
const scenes: Scene[] = [];
/** Those in which nothing happens by itself. */
let still: Scene[];

test.before(async () => {
  mesh = await startTestMesh({ bffEnv: { STREAM_HEARTBEAT_MS: '1000' } });
  scenes.push(await orderScene(), await entryScene(), await availabilityScene(), await placeScene());
  still = scenes.slice(0, 3);
});
test.after.each(() => {
  for (const listening of opened.splice(0)) listening.close();
});
test.after(() => mesh.close());

const generous = { perSecond: 1_000, burst: 1_000 };

async function orderScene(): Promise<Scene> {
  const ada = somebody(await onSale(mesh, generous));
  const { body } = await pressHttp(mesh.http, ada);
  const path = `/v1/orders/${body.order_id}`;
  const end = (): Promise<unknown> => change('POST', `${path}:cancel`, ada.user);
  return { event: 'order', path: `${path}/events`, user: ada.user, end };
}

async function entryScene(): Promise<Scene> {
  const sku = await onSale(mesh, generous, { capacity: 1, onSoldOut: 'JOIN_WAITLIST' });
  await pressHttp(mesh.http, somebody(sku));
  const ada = somebody(sku);
  const { body } = await pressHttp(mesh.http, ada);
  const path = `/v1/waitlist/${body.entry_id}`;
  return { event: 'entry', path: `${path}/events`, user: ada.user, end: () => change('DELETE', path, ada.user) };
}

/** Whoever is not in the line has no place, and will have none: it is over from the start. */
async function placeScene(): Promise<Scene> {
  const { storeId, skuId } = await onSale(mesh, generous);
  return { event: 'place', path: `/v1/stores/${storeId}/skus/${skuId}/place/events`, user: 'ada', end: async () => {} };
}

async function availabilityScene(): Promise<Scene> {
  const { skuId } = await onSale(mesh, generous);
  return { event: 'availability', path: `/v1/skus/${skuId}/availability/events`, user: 'anybody' };
}

async function change(method: string, path: string, user: string): Promise<void> {
  const headers = { authorization: bearerOf(user), 'idempotency-key': randomUUID() };
  const { status } = await fetch(mesh.http + path, { method, headers });
  assert.is(status, 200);
}

async function hear({ path, user }: Scene, lastId?: string): Promise<Listening> {
  const headers = { authorization: bearerOf(user), ...(lastId !== undefined && { 'last-event-id': lastId }) };
  const listening = await listen(mesh.http + path, headers);
  opened.push(listening);
  return listening;
}

test('a stream is text/event-stream that nobody keeps, and each event has a name, an id and data', async () => {
  for (const scene of scenes) {
    const listening = await hear(scene);
    assert.is(listening.status, 200, scene.event);
    assert.is(listening.headers.get('content-type'), 'text/event-stream');
    assert.is(listening.headers.get('cache-control'), 'no-store');
    await until(() => listening.events.length > 0);
    const [first] = listening.events;
    assert.is(first?.event, scene.event);
    assert.match(String(first?.id), /^[\x21-\x7e]{1,64}$/);
    assert.is.not(first?.data, undefined);
    assert.ok(Number(listening.retries[0]) > 0);
  }
});

test('who comes back with the newest id in Last-Event-ID hears nothing old, with another one the state of today', async () => {
  for (const scene of still) {
    const before = await hear(scene);
    await until(() => before.events.length > 0);
    const resumed = await hear(scene, before.events.at(-1)?.id);
    const behind = await hear(scene, 'an-older-one');
    await until(() => behind.events.length > 0 && resumed.comments > 0);
    assert.equal([resumed.status, resumed.events], [200, []], scene.event);
    assert.equal(behind.events[0], before.events.at(-1), scene.event);
  }
});

test('a comment comes while there is nothing to tell', async () => {
  const heard = await Promise.all(still.map((scene) => hear(scene)));
  for (const listening of heard) await until(() => listening.comments >= 2);
});

test('what is over ends its stream, and 204 tells whoever has heard the last to stop', async () => {
  for (const scene of scenes) {
    if (scene.end === undefined) continue;
    const listening = await hear(scene);
    await until(() => listening.events.length === 1);
    await scene.end();
    await until(() => listening.end === 'clean');
    const over = await hear(scene, listening.events.at(-1)?.id);
    assert.equal([over.status, over.text, over.headers.get('content-type')], [204, '', null], scene.event);
    const late = await hear(scene, 'an-older-one');
    await until(() => late.end === 'clean');
    assert.equal(late.events, listening.events.slice(-1));
  }
});

test('what is not there, or is not the caller’s, is a problem and no stream', async () => {
  for (const scene of scenes.slice(0, 2)) {
    const { status, headers, text } = await hear({ ...scene, user: 'somebody-else' });
    assert.equal([status, headers.get('content-type')], [404, 'application/problem+json']);
    assert.ok(JSON.parse(text).reason);
  }
});

test.run();
