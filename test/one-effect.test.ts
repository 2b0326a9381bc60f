import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { orderId } from '#libs/contracts/order-id.js';
import { Fault } from '#libs/refusal/fault.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import { bearerOf } from '#libs/testing/test-issuer.js';
import { until } from '#libs/testing/until.js';
import { insist, orderIdOf, type Press, press, pressHttp, requestOf, tally } from './press.js';
import { startTestMesh, type TestMesh } from './test-mesh.js';

const test = suite('one effect');
let mesh: TestMesh;
let redis: Redis;

test.before(async () => {
  mesh = await startTestMesh({ gateways: 3, gatewayEnv: { REDIS_TIMEOUT_MS: '2000' } });
  redis = new Redis(mesh.redis.url);
  await wish({ capacity: 1 }).then((first) => press(mesh.gateway, first)); // The streams are open now.
});
test.after.each(() => {
  for (const proxy of mesh.proxies) proxy.heal();
});
test.after(async () => {
  redis.disconnect();
  await mesh.close();
});

/** What a new person wants of a new sku. */
async function wish(sku: Parameters<TestMesh['ledger']['sku']>[0] = {}): Promise<Press> {
  const { skuId } = await mesh.ledger.sku({ perUserLimit: 5, ...sku });
  return { user: `user-${randomUUID()}`, key: 'key', skuId };
}

/** Likewise, and every gateway knows the limits of the sku: each was asked for it together with one that there is not. */
async function knownWish(sku: Parameters<typeof wish>[0] = {}): Promise<Press> {
  const one = await wish(sku);
  const lines = [one, { ...one, skuId: `none-${randomUUID()}` }].flatMap((press) => requestOf(press).lines);
  for (const index of [0, 1, 2]) {
    const asked = gatewayOf(index).reserve(
      { storeId: 'store-1', requestId: 'unknown', lines },
      { metadata: { authorization: bearerOf(one.user) } },
    );
    assert.is((await rejectionOf(asked, Fault)).reason, 'SKU_NOT_FOUND');
  }
  return one;
}

/** Orders that were sent on to an inventory. */
function placements(): Promise<number> {
  return mesh.inventoryMetric('batch_items_total{stream="InventoryService.PlaceHolds received"');
}

/** Every row and every movement of a sku. */
async function effects(skuId: string): Promise<{ orders: number; movements: number; taken: number }> {
  const [row] = await mesh.ledger.sql<{ orders: number; movements: number; taken: number }>(
    `SELECT (SELECT count(DISTINCT order_id)::int FROM ledger.order_lines WHERE sku_id = $1) AS orders,
       (SELECT count(*)::int FROM ledger.movements WHERE sku_id = $1) AS movements,
       (SELECT held + sold FROM ledger.stock WHERE sku_id = $1) AS taken`,
    [skuId],
  );
  assert.ok(row);
  return row;
}

const gatewayOf = (index: number): TestMesh['gateway'] => mesh.gatewayAt(index % 3);
const once = { orders: 1, movements: 1, taken: 1 };

test('B02 B03: one key 200 times at once over three gateways is executed once, and all hear the same', async () => {
  const one = await knownWish();
  const before = await placements();
  // It takes its time, so that all of them are there before anything is known.
  for (const proxy of mesh.proxies) proxy.delay(300);
  const said = await Promise.all(Array.from({ length: 200 }, (_, index) => press(gatewayOf(index), one)));
  assert.equal(tally(said), { held: 200 });
  assert.equal(new Set(said.map(orderIdOf)), new Set([orderId('store-1', one.user, one.key)]));
  assert.equal(new Set(said.map(({ outcome }) => JSON.stringify(outcome))).size, 1);
  assert.equal(await effects(one.skuId), once);
  assert.is((await placements()) - before, 1);
});

test('B02: twenty presses of an app at once get twenty times the same bytes', async () => {
  const one = await knownWish();
  for (const proxy of mesh.proxies) proxy.delay(200);
  const said = await Promise.all(Array.from({ length: 20 }, () => pressHttp(mesh.http, one)));
  assert.equal(new Set(said.map(({ status, body }) => `${status} ${JSON.stringify(body)}`)).size, 1);
  assert.is(said[0]?.status, 201);
  assert.equal(await effects(one.skuId), once);
});

test('B02: a no is decided once too, and everybody who asked with the key hears it', async () => {
  const one = await knownWish({ capacity: 1, paymentRequired: false });
  await press(mesh.gateway, { ...one, user: 'first' });
  const before = await placements();
  for (const proxy of mesh.proxies) proxy.delay(200);
  const said = await Promise.all(Array.from({ length: 60 }, (_, index) => press(gatewayOf(index), one)));
  assert.equal(tally(said), { refused: 60 });
  assert.equal(new Set(said.map(({ outcome }) => JSON.stringify(outcome))).size, 1);
  assert.is((await placements()) - before, 1);
});

test('B01: a key with another sku or quantity is 422 and takes nothing, and its first answer still stands', async () => {
  const one = await wish();
  const other = await wish();
  const first = await pressHttp(mesh.http, one);
  for (const changed of [
    { skuId: other.skuId },
    { quantity: 2 },
    { storeId: 'store-1', skuId: other.skuId, quantity: 3 },
  ]) {
    const reused = await pressHttp(mesh.http, { ...one, ...changed });
    assert.equal([reused.status, reused.body.reason], [422, 'REQUEST_ID_REUSED']);
    assert.is((await press(gatewayOf(1), { ...one, ...changed })).kind, 'REQUEST_ID_REUSED');
  }
  assert.equal(await effects(other.skuId), { orders: 0, movements: 0, taken: 0 });
  assert.equal(await effects(one.skuId), once);
  const again = await pressHttp(mesh.http, one);
  assert.equal([again.status, again.body], [201, first.body]);
});

test('B01: while the first answer is under way, another body with its key is told so at once', async () => {
  const one = await knownWish();
  for (const proxy of mesh.proxies) proxy.delay(500);
  const first = press(gatewayOf(0), one);
  await until(async () => (await redis.keys(`hf:*${orderId('store-1', one.user, one.key)}*`)).length > 0);
  assert.is((await press(gatewayOf(1), { ...one, quantity: 2 })).kind, 'REQUEST_ID_REUSED');
  assert.is((await first).kind, 'held');
});

test('B01: a key is one of its route: what placed an order may cancel it, and then cancels no other', async () => {
  const [one, two] = [await wish(), await wish()];
  const [first, second] = await Promise.all([
    pressHttp(mesh.http, one),
    pressHttp(mesh.http, { ...two, user: one.user, key: 'two' }),
  ]);
  const cancel = async (id: unknown, reason?: string) => {
    const headers = {
      authorization: bearerOf(one.user),
      'idempotency-key': one.key,
      'content-type': 'application/json',
    };
    const response = await fetch(`${mesh.http}/v1/orders/${id}:cancel`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ ...(reason !== undefined && { reason }) }),
    });
    const body = (await response.json()) as Record<string, unknown>;
    return [response.status, body.state ?? body.reason];
  };
  assert.equal(await cancel(first.body.order_id), [200, 'CANCELLED']);
  assert.equal(await cancel(second.body.order_id), [422, 'REQUEST_ID_REUSED']);
  assert.equal(await cancel(first.body.order_id), [200, 'CANCELLED']);
  assert.equal(await effects(one.skuId), { orders: 1, movements: 2, taken: 0 });
  assert.equal(await effects(two.skuId), once);
  const today = await pressHttp(mesh.http, one);
  assert.equal([today.status, today.body.state], [201, 'CANCELLED']);
});

test('B07: the same key and body of another user is their own order, and shows nothing of the first', async () => {
  const one = await wish();
  const two = { ...one, user: `user-${randomUUID()}` };
  const [first, second] = [await pressHttp(mesh.http, one), await pressHttp(mesh.http, two)];
  assert.equal([first.status, second.status], [201, 201]);
  assert.is.not(first.body.order_id, second.body.order_id);
  assert.not(JSON.stringify(second.body).includes(one.user));
  assert.equal(await effects(one.skuId), { orders: 2, movements: 2, taken: 2 });
});

test('B09: that nobody knew the outcome is no answer to keep: the same key is executed again', async () => {
  const one = await wish();
  const failed = (): Promise<number> => mesh.gatewayMetric('reservations_total{outcome="error"');
  const before = await failed();
  for (const proxy of mesh.proxies) proxy.cut();
  // The gateway says UNAVAILABLE at the deadline, when the client may be about to give up by itself.
  const { kind } = await press(mesh.gateway, one, 1_000);
  assert.ok(kind === 'UNAVAILABLE' || kind === 'TOO_LATE', kind);
  await until(async () => (await failed()) > before);
  for (const proxy of mesh.proxies) proxy.heal();
  assert.is((await insist(gatewayOf(1), one)).kind, 'held');
  assert.equal(await effects(one.skuId), once);
});

test('B09: a no is an answer to keep: it is replayed without a placement, though there are units again', async () => {
  const one = await wish({ capacity: 1 });
  const winner = await press(mesh.gateway, { ...one, user: `user-${randomUUID()}`, key: 'winner' });
  const first = await pressHttp(mesh.http, one);
  assert.equal([first.status, first.body.reason], [409, 'ALL_HELD']);
  await mesh.ledger.expire(orderIdOf(winner) ?? '');
  await mesh.ledger.ledger.ordersExpire(10);
  const before = await placements();
  for (let index = 0; index < 3; index += 1) {
    const again = await pressHttp(mesh.http, one);
    assert.equal([again.status, again.body], [first.status, first.body]);
  }
  assert.is((await placements()) - before, 0);
  assert.is((await press(mesh.gateway, { ...one, key: 'another' })).kind, 'held');
});

test('B10: Redis forgot every mark: the same key is the same order, a changed one is told, a no stays a no', async () => {
  const one = await wish({ capacity: 1 });
  const late = { ...one, user: `user-${randomUUID()}` };
  const first = await press(mesh.gateway, one);
  const no = await press(gatewayOf(1), late);
  assert.equal([first.kind, no.kind], ['held', 'refused']);
  await redis.flushall();
  const again = await Promise.all(Array.from({ length: 30 }, (_, index) => press(gatewayOf(index), one)));
  assert.equal(new Set(again.map(orderIdOf)), new Set([orderIdOf(first)]));
  assert.is((await press(gatewayOf(2), { ...one, quantity: 2 })).kind, 'REQUEST_ID_REUSED');
  assert.is((await press(gatewayOf(0), late)).kind, 'refused');
  const [row] = await mesh.ledger.sql<{ held: number }>('SELECT held FROM ledger.stock WHERE sku_id = $1', [one.skuId]);
  assert.is(row?.held, 1);
});

test('a key that comes back after its mark has ended is the same order', async () => {
  const one = await wish();
  const id = orderId('store-1', one.user, one.key);
  const first = await press(mesh.gateway, one);
  const marks = await redis.keys(`hf:*mark*${id}*`);
  assert.ok(marks.length > 0);
  const ttls = await Promise.all(marks.map((mark) => redis.ttl(mark)));
  assert.ok(
    ttls.every((ttl) => ttl > 86_400 - 600 && ttl <= 86_400),
    ttls.join(),
  );
  for (const mark of marks) await redis.expire(mark, 0);
  assert.is(orderIdOf(await press(gatewayOf(1), one)), orderIdOf(first));
  for (const mark of marks) await redis.expire(mark, 0);
  assert.is((await press(gatewayOf(2), { ...one, quantity: 2 })).kind, 'REQUEST_ID_REUSED');
  assert.equal(await effects(one.skuId), once);
});

test('B11: keys in another order, spaces and what is the default anyway are the same body', async () => {
  const one = await wish();
  const { skuId, user } = one;
  const first = await pressHttp(mesh.http, one);
  assert.is(first.status, 201);
  const before = await placements();
  for (const text of [
    `{"lines":[{"quantity":1,"sku_id":"${skuId}"}],"store_id":"store-1"}`,
    `\n{ "store_id" : "store-1" ,\t"lines" : [ { "sku_id" : "${skuId}" , "quantity" : 1 } ] }\r\n`,
    `{"store_id":"store-1","lines":[{"sku_id":"${skuId}","quantity":1,"attendee_id":"${user}"}]}`,
    `{"store_id":"store-1","lines":[{"sku_id":"${skuId}","quantity":1.0}]}`,
    `{"store_id":"\\u0073tore-1","lines":[{"sku_id":"${skuId}","quantity":1e0}]}`,
  ]) {
    const again = await pressHttp(mesh.http, { ...one, text });
    assert.equal([again.status, again.body], [201, first.body], text);
  }
  assert.is((await pressHttp(mesh.http, { ...one, key: `"${one.key}"` })).body.order_id, first.body.order_id);
  assert.is((await placements()) - before, 0);
});

test('B11: lines in another order, or summed up, are the same body over gRPC', async () => {
  const [one, two] = [await wish(), await wish()];
  const as = { metadata: { authorization: bearerOf(one.user) } };
  const line = (skuId: string, quantity: number) => ({ skuId, quantity, attendeeId: '', unitPriceMinor: 0 });
  const reserve = async (...lines: ReturnType<typeof line>[]) => {
    const { outcome } = await gatewayOf(0).reserve({ ...requestOf(one), lines }, as);
    return outcome;
  };
  const first = await reserve(line(one.skuId, 2), line(two.skuId, 1));
  assert.is(first?.$case, 'held');
  assert.equal(await reserve(line(two.skuId, 1), line(one.skuId, 2)), first);
  assert.equal(await reserve(line(one.skuId, 1), line(two.skuId, 1), line(one.skuId, 1)), first);
});

test.run();
