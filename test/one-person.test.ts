import { randomUUID } from 'node:crypto';
import { RefusalReason } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import { claimOf } from '#libs/ledger/test-ledger.js';
import { barrier } from '#libs/testing/barrier.js';
import { assert, suite } from '#libs/testing/suite.js';
import { bearerOf } from '#libs/testing/test-issuer.js';
import { orderIdOf, press, type Said } from './press.js';
import { startTestMesh, type TestMesh } from './test-mesh.js';

const GATEWAYS = 3;
const test = suite('one person');
let mesh: TestMesh;

test.before(async () => {
  mesh = await startTestMesh({ gateways: GATEWAYS, inventories: 2 });
});
test.after.each(async () => assert.equal(await mesh.ledger.violations(), []));
test.after(() => mesh.close());

interface Sale {
  storeId: string;
  skuIds: string[];
}

/** A store that gives one unit to an attendee over so many skus. */
async function oneEach(skus: number): Promise<Sale> {
  const storeId = `store-${randomUUID()}`;
  const terms = { storeId, capacity: 1_000, perUserLimit: 1 };
  const skuIds = await Promise.all(Array.from({ length: skus }, async () => (await mesh.ledger.sku(terms)).skuId));
  await mesh.ledger.ledger.limitsSet({ storeId, skuId: '', clearRateLimit: false, perAttendeeLimit: 1 });
  return { storeId, skuIds };
}

const reserve = ({ storeId, skuIds }: Sale, user: string, n: number): Promise<Said> =>
  press(mesh.gatewayAt(n % GATEWAYS), { user, storeId, skuId: skuIds[n % skuIds.length] ?? '', key: randomUUID() });

const cancel = (orderId: string, user: string, n: number) =>
  mesh
    .gatewayAt(n % GATEWAYS)
    .cancelOrder({ orderId, reason: '', requestId: randomUUID() }, { metadata: { authorization: bearerOf(user) } });

/** Units of the sale that a person has. */
async function unitsOf({ skuIds }: Sale, user: string): Promise<number> {
  const [row] = await mesh.ledger.sql<{ units: number }>(
    'SELECT coalesce(sum(units), 0)::int AS units FROM ledger.attendee_units WHERE sku_id = ANY ($1) AND attendee_id = $2',
    [skuIds, user],
  );
  return row?.units ?? -1;
}

for (const skus of [1, 3]) {
  test(`K02: one person with 50 keys at three gateways, and a cancel among them, has one unit of ${skus} skus`, async () => {
    const sale = await oneEach(skus);
    const first = orderIdOf(await reserve(sale, 'ann', 0));
    assert.ok(first);
    const said = await Promise.all(
      Array.from({ length: 50 }, (_, n) => (n === 20 ? cancel(first, 'ann', n) : reserve(sale, 'ann', n))),
    );
    const kinds = said.flatMap((one) => ('kind' in one ? [one] : []));
    const letIn = kinds.filter(({ kind }) => kind === 'held' || kind === 'pending');
    assert.ok(letIn.length <= 1, `${letIn.length} more were let in`);
    for (const { outcome } of kinds) {
      if (outcome?.$case !== 'refused') continue;
      assert.is(outcome.value.refusal?.reason, RefusalReason.REFUSAL_REASON_LIMIT_REACHED);
    }
    // Whoever comes now has it, or gets what the cancel gave back.
    await reserve(sale, 'ann', 1);
    assert.is(await unitsOf(sale, 'ann'), 1);
  });
}

test('of two keys at one moment, one by the gate and one straight to the ledger, one gets the unit', async () => {
  const [one, two] = [await oneEach(1), await oneEach(2)];
  for (let round = 0; round < 200; round++) {
    const sale = round % 2 === 0 ? one : two;
    const user = `ann-${round % 8}`;
    const arrive = barrier(2);
    const straight = claimOf(user, sale.skuIds.at(-1) ?? '', { storeId: sale.storeId });
    const [byGate, byLedger] = await Promise.all([
      arrive().then(() => reserve(sale, user, 0)),
      arrive().then(() => mesh.ledger.admit(straight)),
    ]);
    const orderIds = [orderIdOf(byGate), byLedger.kind === 'ORDER' ? byLedger.orderId : undefined];
    assert.is(await unitsOf(sale, user), 1, `round ${round}`);
    assert.is(orderIds.filter((orderId) => orderId !== undefined).length, 1, `round ${round}`);
    for (const orderId of orderIds) if (orderId !== undefined) await mesh.ledger.ledger.orderCancel({ orderId });
  }
});

test.run();
