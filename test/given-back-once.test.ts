import { randomUUID } from 'node:crypto';
import { StockFreed } from '#libs/contracts/gen/holdfast/event/v1/order_event.js';
import { shardOfStore } from '#libs/contracts/order-id.js';
import { stockFreedSubject } from '#libs/contracts/subjects.js';
import { connectMessaging, type Messaging } from '#libs/messaging/messaging.js';
import { createLogger } from '#libs/runtime/logger.js';
import { createMetrics } from '#libs/runtime/metrics.js';
import { assert, suite } from '#libs/testing/suite.js';
import { bearerOf } from '#libs/testing/test-issuer.js';
import { until } from '#libs/testing/until.js';
import { startTestMesh, type TestMesh } from './test-mesh.js';

const test = suite('given back once');
let mesh: TestMesh;
let messaging: Messaging;

test.before(async () => {
  mesh = await startTestMesh({ inventories: 2 });
  const logger = createLogger('test', 'silent');
  messaging = connectMessaging({ url: mesh.nats.url, name: 'test', logger, metrics: createMetrics() });
  await until(() => messaging.connected);
});
test.after(async () => {
  await messaging.close();
  await mesh.close();
});

test('A17: a cancel that every listener hears of many times gives back one unit, which one buyer gets', async () => {
  const { skuId, storeId } = await mesh.ledger.sku({ capacity: 1 });
  const options = (user: string) => ({ metadata: { authorization: bearerOf(user) }, deadlineMs: 20_000 });
  const reserve = async (user: string) => {
    const lines = [{ skuId, quantity: 1, attendeeId: '', unitPriceMinor: 0 }];
    return (await mesh.gateway.reserve({ storeId, requestId: randomUUID(), lines }, options(user))).outcome;
  };
  const held = await reserve('ann');
  if (held?.$case !== 'held') throw new Error(`held expected: ${held?.$case}`);
  const orderId = held.value.order?.orderId ?? '';
  const cancel = { orderId, requestId: 'cancel', reason: 'ill', userId: '' };
  await Promise.all([1, 2, 3].map((n) => mesh.gateway.cancelOrder({ ...cancel, requestId: `${n}` }, options('ann'))));
  const freed = StockFreed.encode({ skuIds: [skuId] }).finish();
  for (let times = 0; times < 50; times += 1) messaging.publish(stockFreedSubject(shardOfStore(storeId, 4)), freed);
  const outcomes = await Promise.all(Array.from({ length: 20 }, (_, n) => reserve(`user-${n}`)));
  assert.is(outcomes.filter((outcome) => outcome?.$case === 'held').length, 1);
  const movements = await mesh.ledger.sql<{ count: number }>(
    `SELECT count(*)::int AS count FROM ledger.movements WHERE order_id = $1 AND delta_free > 0`,
    [orderId],
  );
  assert.is(movements[0]?.count, 1);
  assert.equal(await mesh.ledger.violations(), []);
});

test.run();
