import { randomUUID } from 'node:crypto';
import { orderId } from '#libs/contracts/order-id.js';
import { Fault } from '#libs/refusal/fault.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import { bearerOf } from '#libs/testing/test-issuer.js';
import { until } from '#libs/testing/until.js';
import { startTestMesh, type TestMesh } from './test-mesh.js';

const test = suite('unknown outcomes');
let mesh: TestMesh;

test.before(async () => {
  mesh = await startTestMesh({ inventories: 2 });
  await knownSku(10); // The streams are open now, whatever is cut later.
});
test.after.each(() => {
  for (const proxy of mesh.proxies) proxy.heal();
});
test.after(() => mesh.close());

const as = (user: string) => ({ metadata: { authorization: bearerOf(user) } });

function reserve(user: string, skuId: string, deadlineMs = 10_000) {
  const lines = [{ skuId, quantity: 1, attendeeId: '', unitPriceMinor: 0 }];
  return mesh.gateway.reserve({ storeId: 'store-1', requestId: 'key', lines }, { ...as(user), deadlineMs });
}

/** A sku of which one unit is held: the gateway knows its limits, whatever is cut later. */
async function knownSku(capacity: number): Promise<string> {
  const { skuId } = await mesh.ledger.sku({ capacity });
  await reserve(`first-${skuId}`, skuId);
  return skuId;
}

async function heldOf(skuId: string): Promise<number> {
  const [stock] = await mesh.ledger.sql<{ held: number }>('SELECT held FROM ledger.stock WHERE sku_id = $1', [skuId]);
  return stock?.held ?? -1;
}

test('H01: who gives up at the deadline gets the order by the same key, and one more unit is taken', async () => {
  const skuId = await knownSku(10);
  for (const proxy of mesh.proxies) proxy.dropReplies();
  assert.is((await rejectionOf(reserve('ana', skuId, 2_000), Fault)).reason, 'TOO_LATE');
  await until(async () => (await heldOf(skuId)) === 2);
  for (const proxy of mesh.proxies) proxy.heal();
  const { outcome } = await reserve('ana', skuId);
  assert.ok(outcome?.$case === 'held');
  assert.is(outcome.value.order?.orderId, orderId('store-1', 'ana', 'key'));
  assert.is(await heldOf(skuId), 2);
});

test('H02: an inventory is cut off between taking an order and saying so: another one answers, one unit each', async () => {
  const users = Array.from({ length: 40 }, () => `user-${randomUUID()}`);
  const skuId = await knownSku(100);
  const [first] = mesh.proxies;
  first?.dropReplies();
  const answers = Promise.all(users.map((user) => reserve(user, skuId)));
  // One by one they would find the other inventory; together they went to one of the two.
  await until(async () => (await heldOf(skuId)) > 1);
  first?.cut();
  for (const { outcome } of await answers) assert.is(outcome?.$case, 'held');
  assert.is(await heldOf(skuId), 1 + users.length);
});

test('H02: when every inventory is cut off the outcome is UNAVAILABLE, and the same key finds it', async () => {
  const skuId = await knownSku(10);
  for (const proxy of mesh.proxies) proxy.dropReplies();
  const answer = rejectionOf(reserve('cid', skuId), Fault);
  await until(async () => (await heldOf(skuId)) === 2);
  for (const proxy of mesh.proxies) proxy.cut();
  const fault = await answer;
  assert.is(fault.reason, 'UNAVAILABLE');
  assert.ok((fault.retryAfterMs ?? 0) > 0);
  for (const proxy of mesh.proxies) proxy.heal();
  const { outcome } = await reserve('cid', skuId);
  assert.is(outcome?.$case, 'held');
  assert.is(await heldOf(skuId), 2);
});

test('while the journal is away an order without a row is UNAVAILABLE, one with a row is read', async () => {
  const { skuId } = await mesh.ledger.sku();
  await reserve('ben', skuId);
  const read = (user: string) => mesh.gateway.getOrder({ orderId: orderId('store-1', user, 'key') }, as(user));
  assert.is((await rejectionOf(read('nobody'), Fault)).reason, 'ORDER_NOT_FOUND');
  await mesh.redis.kill();
  await until(async () => (await rejectionOf(read('nobody'), Fault)).reason === 'UNAVAILABLE');
  assert.is((await read('ben')).order?.userId, 'ben');
  await mesh.redis.restart();
  await until(async () => (await rejectionOf(read('nobody'), Fault)).reason === 'ORDER_NOT_FOUND');
});

test.run();
