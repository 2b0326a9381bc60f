import { assert, suite } from '#libs/testing/suite.js';
import { bearerOf } from '#libs/testing/test-issuer.js';
import { startTestMesh, type TestMesh } from './test-mesh.js';

const test = suite('two slots');
let mesh: TestMesh;

test.before(async () => {
  mesh = await startTestMesh();
});
test.after(() => mesh.close());

async function book(skuId: string, key: string) {
  const response = await fetch(`${mesh.http}/v1/orders`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: bearerOf('ana'), 'idempotency-key': key },
    body: JSON.stringify({ store_id: 'store-1', lines: [{ sku_id: skuId, quantity: 1 }] }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

test('B08: who has one slot books another with another key', async () => {
  const ten = await mesh.ledger.sku({ capacity: 2, title: '10:00' });
  const eleven = await mesh.ledger.sku({ capacity: 2, title: '11:00' });
  const first = await book(ten.skuId, 'key-10');
  const second = await book(eleven.skuId, 'key-11');
  assert.equal([first.status, second.status], [201, 201]);
  assert.is.not(first.body.order_id, second.body.order_id);
  const again = await book(eleven.skuId, 'key-11');
  assert.equal([again.status, again.body.order_id], [201, second.body.order_id]);
});

test('a key that was used for one slot is not good for another', async () => {
  const ten = await mesh.ledger.sku({ capacity: 2 });
  const eleven = await mesh.ledger.sku({ capacity: 2 });
  await book(ten.skuId, 'same');
  const reused = await book(eleven.skuId, 'same');
  assert.equal([reused.status, reused.body.reason], [422, 'REQUEST_ID_REUSED']);
});

test('who has the slot already is named their own order, and gets no second one', async () => {
  const { skuId } = await mesh.ledger.sku({ capacity: 2 });
  const first = await book(skuId, 'first');
  const second = await book(skuId, 'second');
  assert.equal([second.status, second.body.reason, second.body.limit], [409, 'LIMIT_REACHED', 1]);
  const own = second.body.own_order as Record<string, unknown>;
  assert.equal([own.order_id, own.state], [first.body.order_id, 'HELD']);
});

test('an order is read back, cancelled once, and its unit is free again', async () => {
  const { skuId } = await mesh.ledger.sku({ capacity: 1 });
  const { body } = await book(skuId, 'to-cancel');
  const path = `${mesh.http}/v1/orders/${body.order_id}`;
  const user = { authorization: bearerOf('ana') };
  const read = await fetch(path, { headers: user });
  assert.equal([read.status, await read.json()], [200, body]);
  assert.is((await fetch(path, { headers: { authorization: bearerOf('ben') } })).status, 404);
  for (const key of ['c-1', 'c-1', 'c-2']) {
    const cancelled = await fetch(`${path}:cancel`, { method: 'POST', headers: { ...user, 'idempotency-key': key } });
    const order = (await cancelled.json()) as Record<string, unknown>;
    assert.equal([cancelled.status, order.state], [200, 'CANCELLED']);
  }
  const sku = (await (await fetch(`${mesh.http}/v1/skus/${skuId}`)).json()) as { availability: { free: number } };
  assert.is(sku.availability.free, 1);
});

test.run();
