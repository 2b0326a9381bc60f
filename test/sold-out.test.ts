import { randomUUID } from 'node:crypto';
import { orderId } from '#libs/contracts/order-id.js';
import { assert, suite } from '#libs/testing/suite.js';
import { bearerOf } from '#libs/testing/test-issuer.js';
import { until } from '#libs/testing/until.js';
import { startTestMesh, type TestMesh } from './test-mesh.js';

const test = suite('sold out');
let mesh: TestMesh;

test.before(async () => {
  mesh = await startTestMesh();
});
test.after(() => mesh.close());

/** What one user is told, for one unit. */
async function reserve(userId: string, skuId: string): Promise<string | undefined> {
  const lines = [{ skuId, quantity: 1, attendeeId: '', unitPriceMinor: 0 }];
  const metadata = { authorization: bearerOf(userId) };
  const { outcome } = await mesh.gateway.reserve({ storeId: 'store-1', requestId: 'key', lines }, { metadata });
  return outcome?.$case;
}

async function rowOf(userId: string): Promise<string | undefined> {
  return (await mesh.ledger.ledger.ordersRead([orderId('store-1', userId, 'key')]))[0]?.state;
}

async function cancel(userId: string): Promise<void> {
  await mesh.ledger.ledger.orderCancel({ orderId: orderId('store-1', userId, 'key') });
}

/** A user who was told no without a row. There are such as soon as the marks are old enough. */
function refusedWithoutRow(skuId: string): Promise<string> {
  return until(
    async () => {
      const user = `user-${randomUUID()}`;
      assert.is(await reserve(user, skuId), 'refused');
      return (await rowOf(user)) === undefined ? user : '';
    },
    { timeoutMs: 30_000 },
  );
}

test('whoever is told no leaves no row once the marks prove that they are the first, and hears the same again', async () => {
  const { skuId } = await mesh.ledger.sku({ capacity: 0 });
  const user = await refusedWithoutRow(skuId);
  for (let again = 0; again < 3; again += 1) assert.is(await reserve(user, skuId), 'refused');
  assert.is(await rowOf(user), undefined);
  assert.ok((await mesh.inventoryMetric('refusals_total{recorded="false"}')) >= 1);
  assert.ok((await mesh.inventoryMetric('refusals_total{recorded="true"}')) >= 1);
});

test('a no without a row stays a no though units came back, and others get them', async () => {
  const { skuId } = await mesh.ledger.sku({ capacity: 1 });
  assert.is(await reserve('holder', skuId), 'held');
  const user = await refusedWithoutRow(skuId);
  await cancel('holder');
  assert.is(await reserve('newcomer', skuId), 'held');
  await cancel('newcomer');
  assert.is(await reserve(user, skuId), 'refused');
  assert.is(await rowOf(user), undefined);
});

test('when Redis has forgotten the marks, every no leaves a row for some seconds', async () => {
  const { skuId } = await mesh.ledger.sku({ capacity: 0 });
  await refusedWithoutRow(skuId);
  await mesh.redis.kill();
  await mesh.redis.start();
  const user = `user-${randomUUID()}`;
  assert.is(await reserve(user, skuId), 'refused');
  assert.is(await rowOf(user), 'REFUSED');
  await refusedWithoutRow(skuId);
});

test.run();
