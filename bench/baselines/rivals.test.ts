import { Redis } from 'ioredis';
import { testLedger } from '#libs/ledger/test-ledger.js';
import { privateRedis } from '#libs/testing/private-servers.js';
import { assert, suite } from '#libs/testing/suite.js';
import { bearerOf } from '#libs/testing/test-issuer.js';
import { startRival } from './start-rival.js';
import { startUnaryMesh } from './start-unary-mesh.js';

const test = suite('rivals');

interface Answer {
  status: number;
  body: { order_id?: string; reason?: string };
}

async function order(url: string, user: string, key: string): Promise<Answer> {
  const response = await fetch(`${url}/v1/orders`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(user !== '' && { authorization: bearerOf(user) }),
      'idempotency-key': key,
    },
    body: JSON.stringify({ store_id: 'store', lines: [{ sku_id: 'sku', quantity: 1 }] }),
  });
  return { status: response.status, body: (await response.json()) as Answer['body'] };
}

test('the unary mesh sells what there is, once for each key, and refuses the rest', async () => {
  const server = await privateRedis();
  const redis = new Redis(server.url);
  const mesh = await startUnaryMesh(server.url);
  try {
    await redis.hset('sku:{sku}', 'free', 2);
    const first = await order(mesh.url, 'ana', 'k');
    const again = await order(mesh.url, 'ana', 'k');
    const other = await order(mesh.url, 'ben', 'k');
    const late = await order(mesh.url, 'cleo', 'k');
    assert.equal([first.status, again.status, other.status, late.status], [201, 201, 201, 409]);
    assert.is(again.body.order_id, first.body.order_id);
    assert.is.not(other.body.order_id, first.body.order_id);
    assert.is(late.body.reason, 'SOLD_OUT');
    assert.is(await redis.hget('sku:{sku}', 'free'), '0');
  } finally {
    await mesh.stop();
    redis.disconnect();
    await server.stop();
  }
});

test('the constant edge checks a request as the edge does, and refuses all that pass', async () => {
  const edge = await startRival('constant-edge');
  try {
    const refused = await order(edge.address, 'ana', 'k');
    assert.is(refused.status, 409);
    assert.is(refused.body.reason, 'SOLD_OUT');
    assert.is((await order(edge.address, 'ana', 'not one key')).status, 400);
    assert.is((await order(edge.address, '', 'k')).status, 401);
  } finally {
    await edge.stop();
  }
});

test('the monolith, and the unary mesh with an order service, write the rows of each order once', async () => {
  const [ledger, server] = await Promise.all([testLedger(), privateRedis()]);
  const redis = new Redis(server.url);
  const monolith = await startRival('monolith', [ledger.url]);
  const mesh = await startUnaryMesh(server.url, ledger.url);
  try {
    await ledger.sku({ skuId: 'sku', storeId: 'store', capacity: 3 });
    await redis.hset('sku:{sku}', 'free', 3);
    for (const [url, user] of [
      [monolith.address, 'ana'],
      [mesh.url, 'ben'],
    ] as const) {
      const first = await order(url, user, 'k');
      const again = await order(url, user, 'k');
      assert.equal([first.status, again.status], [201, 201], user);
      assert.is(again.body.order_id, first.body.order_id);
    }
    const rows = await ledger.sql('SELECT user_id, state FROM ledger.orders ORDER BY 1');
    assert.equal(rows, [
      { user_id: 'ana', state: 'HELD' },
      { user_id: 'ben', state: 'HELD' },
    ]);
    assert.equal(await ledger.sql('SELECT free, held FROM ledger.stock'), [{ free: 1, held: 2 }]);
  } finally {
    await mesh.stop();
    await monolith.stop();
    redis.disconnect();
    await Promise.all([server.stop(), ledger.drop()]);
  }
});

test.run();
