import { randomUUID } from 'node:crypto';
import { OnSoldOut } from '#libs/contracts/gen/holdfast/inventory/v1/sku.js';
import { offerOrderId } from '#libs/contracts/order-id.js';
import type { StockSetting } from '#libs/ledger/switches.js';
import { barrier } from '#libs/testing/barrier.js';
import { assert, suite } from '#libs/testing/suite.js';
import { bearerOf } from '#libs/testing/test-issuer.js';
import { until } from '#libs/testing/until.js';
import { startTestMesh, type TestMesh } from './test-mesh.js';

const ROUNDS = 200;
const GATEWAYS = 2;
const NEWCOMERS = 3;
const test = suite('newcomers');
let mesh: TestMesh;

test.before(async () => {
  mesh = await startTestMesh({ gateways: GATEWAYS, inventories: 2 });
});
test.after.each(async () => assert.equal(await mesh.ledger.violations(), []));
test.after(() => mesh.close());

async function switchTo(setting: StockSetting): Promise<void> {
  const { ledger } = mesh.ledger;
  const [set] = (await ledger.switchesRead()).filter(({ name }) => name === 'STOCK_PATH');
  await ledger.switchSet({
    name: 'STOCK_PATH',
    scope: { kind: 'ALL', storeId: '', skuId: '' },
    ...{ setting, expectedVersion: set?.version ?? 0, expiresInSeconds: 0 },
    ...{ reason: 'a test', setBy: 'ann', requestId: randomUUID() },
  });
}

/** What one who wants a unit comes to: an order, a place, or a no. A try whose outcome is unknown is made again. */
async function want(n: number, userId: string, skuId: string, onSoldOut: OnSoldOut) {
  const lines = [{ skuId, quantity: 1, attendeeId: '', unitPriceMinor: 0 }];
  const request = { storeId: 'store-1', requestId: userId, lines, onSoldOut };
  const { outcome } = await until(() =>
    mesh
      .gatewayAt(n % GATEWAYS)
      .reserve(request, { metadata: { authorization: bearerOf(userId) } })
      .catch(() => undefined),
  );
  return outcome;
}

async function orderOf(userId: string, skuId: string): Promise<string> {
  const outcome = await want(0, userId, skuId, OnSoldOut.ON_SOLD_OUT_REFUSE);
  if (outcome?.$case !== 'held') throw new Error(`${userId} was told ${outcome?.$case}`);
  return outcome.value.order?.orderId ?? '';
}

const cancel = (orderId: string, userId: string) =>
  mesh.gateway.cancelOrder(
    { orderId, reason: '', requestId: randomUUID() },
    { metadata: { authorization: bearerOf(userId) } },
  );

/** One holds the only unit, one waits; it is given back in the moment in which newcomers press. How many newcomers were told yes. */
async function overtaking(round: number, skuId: string, holder: { orderId: string; userId: string }) {
  const waiter = `waiter-${skuId}-${round}`;
  const place = await want(round, waiter, skuId, OnSoldOut.ON_SOLD_OUT_JOIN_WAITLIST);
  if (place?.$case !== 'waiting') throw new Error(`${waiter} was told ${place?.$case}`);
  const arrive = barrier(NEWCOMERS + 1);
  const pressed = Array.from({ length: NEWCOMERS }, async (_, n) => {
    await arrive();
    return want(round + n, `new-${skuId}-${round}-${n}`, skuId, OnSoldOut.ON_SOLD_OUT_REFUSE);
  });
  const [outcomes] = await Promise.all([
    Promise.all(pressed),
    arrive().then(() => cancel(holder.orderId, holder.userId)),
  ]);
  const yes = outcomes.filter((outcome) => outcome?.$case !== 'refused').length;
  return { yes, next: { userId: waiter, orderId: offerOrderId(place.value.entryId) } };
}

for (const path of ['REDIS', 'POSTGRES'] as const) {
  test(`L10: path ${path}: of ${NEWCOMERS} who press while the unit is given back none overtakes who waits, 200 rounds`, async () => {
    await switchTo(path);
    const { skuId } = await mesh.ledger.sku({ capacity: 1 });
    const first = `first-${skuId}`;
    let holder = { userId: first, orderId: await orderOf(first, skuId) };
    for (let round = 0; round < ROUNDS; round += 1) {
      const { yes, next } = await overtaking(round, skuId, holder);
      assert.is(yes, 0, `round ${round}`);
      const [row] = await mesh.ledger.sql('SELECT state, user_id FROM ledger.orders WHERE order_id = $1', [
        next.orderId,
      ]);
      assert.equal(row, { state: 'HELD', user_id: next.userId }, `round ${round}`);
      holder = next;
    }
  });
}

test.run();
