import { randomUUID } from 'node:crypto';
import { assert, suite } from '#libs/testing/suite.js';
import { bearerOf } from '#libs/testing/test-issuer.js';
import { holdfast } from '../services/operator/test/command-line.js';
import { startTestMesh, type TestMesh } from './test-mesh.js';

const test = suite('staff over HTTP');
let mesh: TestMesh;

test.before(async () => {
  mesh = await startTestMesh();
});
test.after.each(async () => assert.equal(await mesh.ledger.violations(), []));
test.after(() => mesh.close());

const why = 'his mother is ill';

interface Said {
  status: number;
  body: Record<string, unknown>;
}

/** What staff `sam` of the store asks for, in the name of ben where one is given. */
async function post(path: string, body: object, storeId: string, forUser?: string): Promise<Said> {
  const headers = {
    'content-type': 'application/json',
    'idempotency-key': randomUUID(),
    authorization: bearerOf('sam', { role: 'STAFF', stores: [storeId] }),
    ...(forUser !== undefined && { 'holdfast-for-user': forUser }),
  };
  const response = await fetch(mesh.http + path, { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: response.status, body: (await response.json()) as Said['body'] };
}

async function told(...args: string[]): Promise<string> {
  const { code, out, err } = await holdfast(['--gateway', mesh.gatewayAddresses[0] ?? '', ...args]);
  assert.is(code, 0, err);
  return out;
}

/** A sku of which one person may have one, and an order as it goes in. */
async function clinic() {
  const { skuId, storeId } = await mesh.ledger.sku({ capacity: 10, perUserLimit: 1 });
  return { skuId, storeId, wish: { store_id: storeId, lines: [{ sku_id: skuId, quantity: 1 }] } };
}

test('staff who book for a person are held to the limits of the person, and with a reason pass over them', async () => {
  const { skuId, storeId, wish } = await clinic();
  const first = await post('/v1/orders', wish, storeId, 'ben');
  assert.equal([first.status, first.body.user_id, first.body.channel], [201, 'ben', 'STAFF']);
  const over = await post('/v1/orders', wish, storeId, 'ben');
  assert.equal([over.status, over.body.reason], [409, 'LIMIT_REACHED']);
  const forced = await post('/v1/orders', { ...wish, force_reason: why }, storeId, 'ben');
  assert.is(forced.status, 201, JSON.stringify(forced.body));

  const story = await told('explain', 'order', String(forced.body.order_id));
  assert.match(story, `booked by sam of the store, over limit 1 of SKU ${skuId}: ${why}`);
  const history = await told('switch', 'history', '--limit', '5');
  assert.match(history, new RegExp(`FORCE.*limit 1 of SKU ${skuId}.*order ${forced.body.order_id}.*sam.*${why}`));
  assert.is((await mesh.ledger.stock(skuId)).held, 2);
});

test('nobody but staff of the store passes over limits, and an empty reason passes over none', async () => {
  const { storeId, wish } = await clinic();
  assert.is((await post('/v1/orders', wish, storeId, 'ben')).status, 201);
  const elsewhere = await post('/v1/orders', { ...wish, force_reason: why }, 'another-store', 'ben');
  assert.equal([elsewhere.status, elsewhere.body.reason], [403, 'PERMISSION_DENIED']);
  assert.is((await post('/v1/orders', { ...wish, force_reason: '' }, storeId, 'ben')).status, 400);
});

test('what staff cancel is told with who did', async () => {
  const { skuId, storeId, wish } = await clinic();
  const { body } = await post('/v1/orders', wish, storeId, 'ben');
  const orderId = String(body.order_id);
  const cancelled = await post(`/v1/orders/${orderId}:cancel`, { reason: 'the doctor is away' }, storeId);
  assert.equal([cancelled.status, cancelled.body.state], [200, 'CANCELLED']);
  assert.match(
    await told('explain', 'order', orderId),
    `cancelled by sam (the doctor is away), 1 of ${skuId} given back`,
  );
});

test.run();
