import { randomUUID } from 'node:crypto';
import { ControlServiceDefinition } from '#libs/contracts/gen/holdfast/control/v1/control_service.js';
import { AvailabilityState } from '#libs/contracts/gen/holdfast/inventory/v1/sku.js';
import { RefusalReason } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import type { Sku } from '#libs/ledger/rows.js';
import { Fault } from '#libs/refusal/fault.js';
import { type Client, connect } from '#libs/rpc/client.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import { bearerOf } from '#libs/testing/test-issuer.js';
import { until } from '#libs/testing/until.js';
import { startTestMesh, type TestMesh } from './test-mesh.js';

const test = suite('operators in a sale');
const olga = { metadata: { authorization: bearerOf('olga', { role: 'OPERATOR' }) } };
let mesh: TestMesh;
let control: Client<typeof ControlServiceDefinition>;

test.before(async () => {
  mesh = await startTestMesh({ gateways: 2, inventories: 2, scheduler: true });
  control = connect(ControlServiceDefinition, mesh.gatewayAddresses[0] ?? '', { defaultDeadlineMs: 20_000 });
});
test.after.each(async () => assert.equal(await mesh.ledger.violations(), []));
test.after(async () => {
  control.close();
  await mesh.close();
});

const change = ({ skuId, storeId }: Sku) => ({ skuId, storeId, reason: 'a sale', requestId: randomUUID() });

/** What one user is told who wants one unit: the outcome, and of a refusal the reason. */
async function reserve({ skuId, storeId }: Sku, user: string, gateway = 0): Promise<string> {
  const lines = [{ skuId, quantity: 1, attendeeId: '', unitPriceMinor: 0 }];
  const request = { storeId, requestId: `key-${randomUUID()}`, lines };
  const options = { metadata: { authorization: bearerOf(user) }, deadlineMs: 20_000 };
  const { outcome } = await mesh.gatewayAt(gateway).reserve(request, options);
  return outcome?.$case === 'refused' ? `refused ${outcome.value.refusal?.reason}` : (outcome?.$case ?? 'none');
}

/** Buyers who come one after the other at both gateways, until they are told to stop. */
function crowd(sku: Sku, buyers: number): { outcomes: string[]; ended: Promise<void>; stop(): void } {
  const outcomes: string[] = [];
  let stopped = false;
  const work = Array.from({ length: buyers }, async (_, buyer) => {
    while (!stopped) outcomes.push(await reserve(sku, `user-${randomUUID()}`, buyer % 2));
  });
  return {
    outcomes,
    ended: Promise.all(work).then(() => undefined),
    stop: () => {
      stopped = true;
    },
  };
}

const heldBy = async ({ skuId }: Sku): Promise<number> => (await mesh.ledger.stock(skuId)).held;

test('an operator who pauses a sale stops it with the answer, holders keep theirs, and it goes on when it is resumed', async () => {
  const sku = await mesh.ledger.sku({ capacity: 100_000 });
  const sale = crowd(sku, 16);
  await until(async () => (await heldBy(sku)) >= 50);
  const { sku: paused } = await control.pauseSku(change(sku), olga);
  const whenPaused = await heldBy(sku);
  assert.is(paused?.paused, true);
  const heard = sale.outcomes.length;
  await until(async () => sale.outcomes.length >= heard + 64);
  assert.is(await heldBy(sku), whenPaused, 'nobody was given a unit after the answer');
  assert.ok(sale.outcomes.slice(heard + 32).every((outcome) => outcome.startsWith('refused')));
  const { availability } = await mesh.gateway.getAvailability({ skuIds: [sku.skuId] });
  assert.equal([availability[0]?.onSale, availability[0]?.held], [false, whenPaused]);
  await control.resumeSku(change(sku), olga);
  await until(async () => (await heldBy(sku)) >= whenPaused + 50);
  sale.stop();
  await sale.ended;
});

test('K06: capacity goes up and down in the middle of a sale, and in the end just so many are sold', async () => {
  const sku = await mesh.ledger.sku({ capacity: 100 });
  const sale = crowd(sku, 16);
  const set = (capacity: number) => control.setCapacity({ ...change(sku), capacity, force: false }, olga);
  await until(async () => (await heldBy(sku)) >= 30);
  await set(110);
  await until(async () => (await heldBy(sku)) >= 60);
  // More may be taken by now: then it is refused, and nothing has changed.
  await set(90).catch((thrown: unknown) => {
    if (!(thrown instanceof Fault && thrown.reason === 'CAPACITY_BELOW_TAKEN')) throw thrown;
  });
  await set(120);
  await until(async () => (await heldBy(sku)) === 120);
  const heard = sale.outcomes.length;
  await until(() => sale.outcomes.length >= heard + 64);
  sale.stop();
  await sale.ended;
  const { free, held, capacity, overbooked } = await mesh.ledger.stock(sku.skuId);
  assert.equal({ free, held, capacity, overbooked }, { free: 0, held: 120, capacity: 120, overbooked: 0 });
  assert.is(sale.outcomes.filter((outcome) => outcome === 'held').length, 120);
});

test('a sale that is cancelled in its middle: nobody is let in from the answer on, and every order is given back', async () => {
  const sku = await mesh.ledger.sku({ capacity: 100_000 });
  const sale = crowd(sku, 16);
  await until(async () => (await heldBy(sku)) >= 50);
  const { sku: cancelled } = await control.cancelSku(change(sku), olga);
  assert.ok(cancelled?.cancelledAt);
  const heard = sale.outcomes.length;
  await until(async () => sale.outcomes.length >= heard + 64);
  const reason = RefusalReason.REFUSAL_REASON_SALE_CANCELLED;
  assert.equal(new Set(sale.outcomes.slice(heard + 32)), new Set([`refused ${reason}`]));
  sale.stop();
  await sale.ended;
  await until(async () => (await heldBy(sku)) === 0);
  const { availability } = await mesh.gateway.getAvailability({ skuIds: [sku.skuId] });
  assert.equal([availability[0]?.onSale, availability[0]?.cancelledAt], [false, cancelled.cancelledAt]);
  const states = await mesh.ledger.sql<{ state: string }>(
    `SELECT DISTINCT o.state FROM ledger.orders AS o JOIN ledger.order_lines AS l ON l.order_id = o.order_id
     WHERE l.sku_id = $1 AND o.state <> 'REFUSED'`,
    [sku.skuId],
  );
  assert.equal(states, [{ state: 'CANCELLED' }]);
});

test('who came last is listed while a sku is overbooked', async () => {
  const sku = await mesh.ledger.sku({ capacity: 3 });
  for (const user of ['ann', 'bob', 'cid']) assert.is(await reserve(sku, user), 'held');
  await control.setCapacity({ ...change(sku), capacity: 1, force: true }, olga);
  const list = { skuId: sku.skuId, pageSize: 0, pageToken: '' };
  const { orders, sku: listed } = await control.listOverbookedOrders(list, olga);
  assert.equal(
    orders.map(({ userId }) => userId),
    ['cid', 'bob'],
  );
  assert.is(listed?.overbooked, 2);
  const { skuId: toSkuId } = await mesh.ledger.sku({ capacity: 1 });
  const moves = await Promise.all(
    orders.map(({ orderId }) =>
      mesh.gateway.moveOrder({ orderId, fromSkuId: '', toSkuId, requestId: randomUUID() }, olga),
    ),
  );
  assert.equal(moves.map(({ outcome }) => outcome?.$case).sort(), ['order', 'refusal']);
  assert.is((await mesh.ledger.stock(sku.skuId)).overbooked, 1);
  const user = { metadata: { authorization: bearerOf('ann') } };
  assert.is((await rejectionOf(control.listOverbookedOrders(list, user), Fault)).reason, 'PERMISSION_DENIED');
  const unknown = rejectionOf(control.listOverbookedOrders({ ...list, skuId: 'nothing' }, olga), Fault);
  assert.is((await unknown).reason, 'SKU_NOT_FOUND');
});

test('K07: with all units held the list says none is free and how many are held, and whoever reserves hears the same', async () => {
  const sku = await mesh.ledger.sku({ capacity: 3, storeId: `store-${randomUUID()}` });
  for (const user of ['ann', 'bob', 'cid']) assert.is(await reserve(sku, user), 'held');
  const page = { storeId: sku.storeId, pageSize: 0, pageToken: '', startsAfter: undefined, startsBefore: undefined };
  const list = async () => (await mesh.gateway.listSkus(page)).availability[0];
  const all = await list();
  assert.equal([all?.state, all?.free, all?.held], [AvailabilityState.AVAILABILITY_STATE_ALL_HELD, 0, 3]);
  const heard = await reserve(sku, 'dan');
  assert.match(heard, 'refused');
  const below = rejectionOf(control.setCapacity({ ...change(sku), capacity: 1, force: false }, olga), Fault);
  assert.is((await below).metadata.taken, '3');
  await control.setCapacity({ ...change(sku), capacity: 0, force: true }, olga);
  const overbooked = await list();
  assert.equal([overbooked?.state, overbooked?.free], [AvailabilityState.AVAILABILITY_STATE_SOLD_OUT, 0]);
  assert.not.equal(await reserve(sku, 'eve'), heard, 'no hold can leave a unit free: nothing to wait for');
});

test.run();
