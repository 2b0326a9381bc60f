import { OrderState, PaymentState } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import { OrderServiceDefinition } from '#libs/contracts/gen/holdfast/order/v1/order_service.js';
import { faultOf } from '#libs/refusal/fault.js';
import { type Client, connect } from '#libs/rpc/client.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import type { Victim } from '../victim.js';
import { Scene, swallow, type Wish } from './scene.js';

const NO_ORDER = '00000000-0000-0000-0000-000000000000';
const test = suite('an order service dies');
let scene: Scene;
let victim: Victim;
let inventory: string;
let http: string;
let orders: Client<typeof OrderServiceDefinition>;

test.before(async () => {
  scene = await Scene.open();
  const { services, ledger, nats } = scene;
  // Nobody decides while it is dead: without this, admission would be asked directly.
  await scene.switchOrderPath('STREAM');
  // A message that its holder died with is due again after the wait for its acknowledgement.
  const env = { CLAIMS_ACK_WAIT_MS: '1000' };
  victim = await scene.victim('order', { postgres: ledger.url, nats: nats.url }, env);
  inventory = (await services.inventory()).grpcAddress;
  const gateway = (await services.gateway({ inventory, order: victim.address })).grpcAddress;
  http = (await services.bff({ gateway })).httpAddress;
  orders = connect(OrderServiceDefinition, victim.address, { defaultDeadlineMs: 10_000 });
});
test.after(async () => {
  orders.close();
  await scene.close();
});

/** It is back, and so is the way to it: that is shared with the gateway, which may wait before it looks again. */
async function restart(): Promise<void> {
  await victim.restart();
  orders.close();
  orders = connect(OrderServiceDefinition, victim.address, { defaultDeadlineMs: 10_000 });
  await until(async () => (await reasonOf(orders.getOrder({ orderId: NO_ORDER, userId: '' }))) === 'ORDER_NOT_FOUND');
}

const reasonOf = (asked: Promise<unknown>): Promise<string> =>
  asked.then(
    () => 'answered',
    (error) => faultOf(error).reason,
  );

async function comesBack(wish: Wish): Promise<void> {
  await restart();
  await scene.assertOneOrder(http, wish);
  await scene.assertAtRest(inventory);
}

/** Does what waits for the sku's stock, and loses whatever its server says about it. */
async function diesAfterTheCommit(wish: Wish, act: () => Promise<unknown>, isDone: () => Promise<boolean>) {
  const stock = await scene.lock(wish);
  act().catch(() => undefined);
  await stock.somebodyWaits();
  victim.link('postgres').dropReplies();
  await stock.unlock();
  await until(isDone);
  await victim.kill();
}

async function held(): Promise<Wish> {
  const wish = await scene.wish({ capacity: 1 });
  assert.is((await scene.pressOn(http, wish)).status, 201);
  await until(async () => (await scene.events(wish, 'HELD')) === 1);
  return wish;
}

test('7: it dies with a message in hand and nothing admitted: the message comes again', async () => {
  const wish = await scene.wish();
  await scene.loadGate(inventory, wish);
  victim.link('postgres').blackhole();
  const said = scene.press(http, wish);
  await until(async () => (await scene.claimsInHand()) === 1);
  await victim.kill();
  assert.is(await scene.stateOf(wish), undefined);
  await comesBack(wish);
  await said;
});

test('7 B06: it dies after the commit and before the acknowledgement: the message comes again to no effect', async () => {
  const wish = await scene.wish({ capacity: 1 });
  await scene.loadGate(inventory, wish);
  const press = (): Promise<unknown> => scene.press(http, wish);
  await diesAfterTheCommit(wish, press, async () => (await scene.stateOf(wish)) === 'HELD');
  assert.is(await scene.claimMessages(), 1);
  await comesBack(wish);
});

test('8: it dies before anybody heard the decision: the row is read, and the buyer has the answer', async () => {
  const wish = await scene.wish();
  await scene.loadGate(inventory, wish);
  const stock = await scene.lock(wish);
  const said = scene.press(http, wish);
  await stock.somebodyWaits();
  victim.link('nats').blackhole();
  await stock.unlock();
  await until(async () => (await scene.stateOf(wish)) === 'HELD');
  await victim.kill();
  assert.is((await said).status, 201);
  assert.is(await scene.claimMessages(), 1);
  await comesBack(wish);
});

async function pay({ orderId }: Wish) {
  const { order, paymentState } = await orders.confirmPayment({
    orderId,
    provider: 'acme',
    providerPaymentId: `payment-of-${orderId}`,
    amountMinor: 1_500,
    currency: 'EUR',
    requestId: 'pay',
  });
  return [OrderState[order?.state ?? 0], PaymentState[paymentState]];
}

const paid = ['ORDER_STATE_CONFIRMED', 'PAYMENT_STATE_CAPTURED'];

test('11: it dies before a payment is recorded: the provider sends again and the order is paid', async () => {
  const wish = await held();
  const swallowed = swallow(victim.link('postgres'));
  pay(wish).catch(() => undefined);
  await swallowed();
  await restart();
  assert.is(await scene.stateOf(wish), 'HELD');
  assert.equal(await pay(wish), paid);
  await scene.assertAtRest(inventory);
});

test('11: it dies after a payment is recorded and before it says so: the provider sends again, it counts once', async () => {
  const wish = await held();
  const isPaid = async (): Promise<boolean> => (await scene.stateOf(wish)) === 'CONFIRMED';
  await diesAfterTheCommit(wish, () => pay(wish), isPaid);
  await restart();
  assert.equal(await pay(wish), paid);
  assert.is(await scene.count('payments', `order_id = '${wish.orderId}'`), 1);
  assert.equal(await scene.movements(wish), ['ADMIT', 'PAY']);
  await scene.assertAtRest(inventory);
});

async function lapsed(): Promise<Wish> {
  const wish = await held();
  for (const [table, column] of [
    ['orders', 'expires_at'],
    ['order_lines', 'held_until'],
  ]) {
    await scene.ledger.sql(`UPDATE ledger.${table} SET ${column} = created_at WHERE order_id = $1`, [wish.orderId]);
  }
  return wish;
}

test('12: it dies before a hold is closed: it is still due, and is closed once', async () => {
  const wish = await lapsed();
  const swallowed = swallow(victim.link('postgres'));
  orders.expireDue({ batchSize: 10 }).catch(() => undefined);
  await swallowed();
  await restart();
  assert.is(await scene.stateOf(wish), 'HELD');
  assert.is((await orders.expireDue({ batchSize: 10 })).expired, 1);
  assert.equal(await scene.movements(wish), ['ADMIT', 'EXPIRE']);
  await scene.assertOneOrder(http, scene.another(wish, 'ben'));
  await scene.assertAtRest(inventory);
});

test('12: it dies after a hold is closed and before it says so: nothing is due, and the unit goes to another', async () => {
  const wish = await lapsed();
  const isClosed = async (): Promise<boolean> => (await scene.stateOf(wish)) === 'EXPIRED';
  await diesAfterTheCommit(wish, () => orders.expireDue({ batchSize: 10 }), isClosed);
  await restart();
  assert.is((await orders.expireDue({ batchSize: 10 })).expired, 0);
  assert.equal(await scene.movements(wish), ['ADMIT', 'EXPIRE']);
  await scene.assertOneOrder(http, scene.another(wish, 'ben'));
  await scene.assertAtRest(inventory);
});

function cancel({ orderId, userId }: Wish) {
  return orders.cancelOrder({ orderId, userId, reason: '', requestId: 'cancel' });
}

test('12: it dies after a cancellation and before it says so: the same one again changes nothing', async () => {
  const wish = await held();
  const isCancelled = async (): Promise<boolean> => (await scene.stateOf(wish)) === 'CANCELLED';
  await diesAfterTheCommit(wish, () => cancel(wish), isCancelled);
  await restart();
  assert.is((await cancel(wish)).order?.state, OrderState.ORDER_STATE_CANCELLED);
  assert.equal(await scene.movements(wish), ['ADMIT', 'CANCEL']);
  await scene.assertOneOrder(http, scene.another(wish, 'ben'));
  await scene.assertAtRest(inventory);
});

test('12: it dies in the middle of a cancelled sale: it goes on where it was, and every order is given back once', async () => {
  const wish = await scene.wish({ capacity: 3 });
  const wishes = [wish, scene.another(wish, 'ben'), scene.another(wish, 'cleo')];
  for (const each of wishes) assert.is((await scene.pressOn(http, each)).status, 201);
  const { storeId, skuId } = wish;
  const requestId = 'cancel-sale';
  await scene.ledger.ledger.skuCancel({ storeId, skuId, operator: 'olga', reason: 'it rains', requestId });
  const cancelled = async (): Promise<number> => {
    const states = await Promise.all(wishes.map((each) => scene.stateOf(each)));
    return states.filter((state) => state === 'CANCELLED').length;
  };
  const one = () => orders.endCancelledSales({ batchSize: 1 });
  const swallowed = swallow(victim.link('postgres'));
  one().catch(() => undefined);
  await swallowed();
  await restart();
  assert.is(await cancelled(), 0);
  await diesAfterTheCommit(wish, one, async () => (await cancelled()) === 1);
  await restart();
  while ((await one()).more);
  for (const each of wishes) assert.equal(await scene.movements(each), ['ADMIT', 'CANCEL']);
  await scene.assertAtRest(inventory);
});

test('13 F15: it dies after a commit and before the event is out: the event is told when it is back', async () => {
  const wish = await held();
  victim.link('nats').cut();
  await cancel(wish);
  await victim.kill();
  assert.is(await scene.count('outbox', `order_id = '${wish.orderId}' AND published_at IS NULL`), 1);
  assert.is(await scene.events(wish, 'CANCELLED'), 0);
  await restart();
  await until(async () => (await scene.events(wish, 'CANCELLED')) === 1);
  await scene.assertAtRest(inventory);
});

test('13: it dies after the event is out and before it is marked: it is told again, and the stream drops it', async () => {
  const wish = await held();
  victim.link('nats').dropReplies();
  await cancel(wish);
  await until(async () => (await scene.events(wish, 'CANCELLED')) === 1);
  await victim.kill();
  assert.is(await scene.count('outbox', `order_id = '${wish.orderId}' AND published_at IS NULL`), 1);
  await restart();
  await scene.assertAtRest(inventory);
  assert.is(await scene.events(wish, 'CANCELLED'), 1);
});

test.run();
