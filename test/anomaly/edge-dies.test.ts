import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import type { Victim } from '../victim.js';
import { Scene, swallow, type Wish } from './scene.js';

const test = suite('the edge dies');
let scene: Scene;
let inventory: string;
/** Two ways in: a bff that dies before a gateway that lives, and a bff that lives before a gateway that dies. */
let bff: Victim;
let gateway: Victim;
let pastBff: string;
let pastGateway: string;

test.before(async () => {
  scene = await Scene.open();
  const { services } = scene;
  const order = (await services.order()).grpcAddress;
  inventory = (await services.inventory()).grpcAddress;
  const living = await services.gateway({ inventory, order });
  [bff, gateway] = await Promise.all([
    scene.victim('bff', { gateway: living.grpcAddress }),
    scene.victim('gateway', { inventory, order }),
  ]);
  pastBff = `http://${bff.address}`;
  pastGateway = (await services.bff({ gateway: gateway.address })).httpAddress;
});
test.after(() => scene.close());

async function assertUntouched(wish: Wish): Promise<void> {
  assert.is(await scene.stateOf(wish), undefined);
  assert.equal(await scene.journal.claims(wish.skuId), []);
}

async function comesBack(victim: Victim, http: string, wish: Wish): Promise<void> {
  await victim.restart();
  await scene.assertOneOrder(http, wish);
  await scene.assertAtRest(inventory);
}

test('1: the bff dies with a request that no gateway took: nothing has happened, the same key gets the order', async () => {
  const wish = await scene.wish();
  bff.link('gateway').cut();
  await until(async () => !(await bff.isReady()));
  const said = scene.press(pastBff, wish);
  // It has the first request when it answers a later one, which is wrong and goes no further.
  assert.is((await scene.press(pastBff, { ...wish, key: '' })).status, 400);
  await bff.kill();
  assert.is((await said).status, 0);
  await assertUntouched(wish);
  await comesBack(bff, pastBff, wish);
});

test('2: the bff dies after it sent a request that nobody heard: the same key gets the order', async () => {
  const wish = await scene.wish();
  const swallowed = swallow(bff.link('gateway'));
  const said = scene.press(pastBff, wish);
  await swallowed();
  await bff.kill();
  assert.is((await said).status, 0);
  await assertUntouched(wish);
  await comesBack(bff, pastBff, wish);
});

test('3: the gateway dies with an order that no inventory took: the same key gets the same order id', async () => {
  const wish = await scene.wish();
  gateway.link('inventory').cut();
  await until(async () => !(await gateway.isReady()));
  const before = await received();
  const said = scene.press(pastGateway, wish);
  await until(async () => (await received()) > before);
  await gateway.kill();
  await assertUntouched(wish);
  await comesBack(gateway, pastGateway, wish);
  assert.is((await said).status, 201);
});

test('4: the gateway dies after it sent an order that nobody heard: the same key gets the order', async () => {
  const wish = await scene.wish();
  await scene.makeKnown(pastGateway, wish);
  const swallowed = swallow(gateway.link('inventory'));
  const said = scene.press(pastGateway, wish);
  await swallowed();
  await gateway.kill();
  await assertUntouched(wish);
  await comesBack(gateway, pastGateway, wish);
  assert.is((await said).status, 201);
});

test('10: the gateway dies with an answer on its way: the same key finds the order', async () => {
  const wish = await scene.wish();
  await scene.makeKnown(pastGateway, wish);
  gateway.link('inventory').dropReplies();
  const said = scene.press(pastGateway, wish);
  await until(async () => (await scene.stateOf(wish)) === 'HELD');
  await gateway.kill();
  await comesBack(gateway, pastGateway, wish);
  assert.equal([(await said).status, (await said).body.order_id], [201, wish.orderId]);
});

test('10 B06: the bff dies after the commit and before the reply: the same key is answered with that order', async () => {
  const wish = await scene.wish({ capacity: 1 });
  bff.link('gateway').dropReplies();
  const said = scene.press(pastBff, wish);
  await until(async () => (await scene.stateOf(wish)) === 'HELD');
  await bff.kill();
  assert.is((await said).status, 0);
  await comesBack(bff, pastBff, wish);
});

function received(): Promise<number> {
  return gateway.metric('batch_items_total{stream="ReserveStream received"');
}

test.run();
