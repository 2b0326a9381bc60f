import { type FaultProxy, faultProxy } from '#libs/testing/fault-proxy.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { type Person, person } from '../../deploy/rush/scenario.js';
import { inventoryDoor } from '../doors.js';
import type { Victim } from '../victim.js';
import { Scene, type Wish } from './scene.js';

const test = suite('an inventory dies');
let scene: Scene;
let victim: Victim;
let http: string;
/** Between the stream and the order service: while it is cut, claims stay in the stream. */
let orderStream: FaultProxy;

test.before(async () => {
  scene = await Scene.open();
  const { services, ledger, redis, nats } = scene;
  orderStream = await faultProxy('127.0.0.1', nats.port);
  const order = (await services.order({ NATS_URL: orderStream.url(nats.url) })).grpcAddress;
  victim = await scene.victim('inventory', { postgres: ledger.url, redis: redis.url, nats: nats.url });
  const gateway = (await services.gateway({ inventory: victim.address, order })).grpcAddress;
  http = (await services.bff({ gateway })).httpAddress;
});
test.after(async () => {
  await scene.close();
  await orderStream.close();
});

async function comesBack(wish: Wish): Promise<void> {
  await victim.restart();
  orderStream.heal();
  await scene.assertOneOrder(http, wish);
  await scene.assertAtRest(victim.address);
}

/** Let in, and then nobody but Redis is heard: it stops between its script and the stream. */
async function stoppedAfterItsScript(wish: Wish, press: () => Promise<unknown>): Promise<void> {
  await scene.loadGate(victim.address, wish);
  victim.link('nats').blackhole();
  victim.link('postgres').blackhole();
  void press();
  await until(async () => (await scene.journal.claims(wish.skuId)).includes(wish.orderId));
}

/** Stops in the stream: it has the stream's word that it has the claim, and no order service takes it out. */
async function stoppedInTheStream(wish: Wish): Promise<{ status: number }> {
  await scene.loadGate(victim.address, wish);
  orderStream.cut();
  const stored = (): Promise<number> => victim.metric('messaging_stored_total{outcome="stored"');
  const before = await stored();
  const said = scene.press(http, wish);
  await until(async () => (await stored()) > before);
  return said.then(({ status }) => ({ status }));
}

test('5 B06: it dies after its script and before the stream: the same key gets the one order', async () => {
  const wish = await scene.wish();
  await scene.makeKnown(http, wish);
  await stoppedAfterItsScript(wish, () => scene.press(http, wish));
  await victim.kill();
  assert.is(await scene.stateOf(wish), undefined);
  await comesBack(wish);
});

test('5: nobody comes back for what a dead inventory let in: the sweep drops it and the unit goes to another', async () => {
  const wish = await scene.wish({ capacity: 1 });
  const door = inventoryDoor([victim.address]);
  await stoppedAfterItsScript(wish, () => door.place(personOf(wish)));
  door.close();
  await victim.restart();
  const next = scene.another(wish, 'ben');
  await until(async () => await scene.swept(victim.address), { timeoutMs: 20_000 });
  await scene.assertOneOrder(http, next);
  assert.is(await scene.stateOf(wish), undefined);
  assert.is((await scene.pressOn(http, wish)).body.reason, 'ALL_HELD');
  await scene.assertAtRest(victim.address);
});

test('5b: it dies while an order waits for the word of the ledger: nothing has happened, the same key gets the order', async () => {
  const wish = await scene.wish();
  await scene.makeKnown(http, wish);
  // The gateway alone knows the sku.
  await scene.journal.flush();
  victim.link('postgres').blackhole();
  void scene.press(http, wish);
  await until(async () => (await victim.stats()).parked === 1);
  await victim.kill();
  assert.is(await scene.stateOf(wish), undefined);
  assert.equal(await scene.journal.claims(wish.skuId), []);
  await comesBack(wish);
});

test('5c: without Redis it dies inside the admission: done or not, the same key gets the one order', async () => {
  const wish = await scene.wish();
  victim.link('redis').cut();
  const stock = await scene.lock(wish);
  void scene.press(http, wish);
  await stock.somebodyWaits();
  await victim.kill();
  assert.is(await scene.stateOf(wish), undefined);
  await stock.unlock();
  await comesBack(wish);
});

test('5c: without Redis it dies after the commit and before it knew: the same key finds the row', async () => {
  const wish = await scene.wish();
  victim.link('redis').cut();
  await diesAfterTheCommit(wish);
  await comesBack(wish);
});

test('6: it dies when the stream has the claim: the claim becomes an order all the same', async () => {
  const wish = await scene.wish();
  void stoppedInTheStream(wish);
  await until(async () => (await scene.claimMessages()) === 1);
  await victim.kill();
  orderStream.heal();
  await until(async () => (await scene.stateOf(wish)) === 'HELD');
  await comesBack(wish);
});

test('6b: without the stream it dies after the commit and before it knew: the same key finds the row', async () => {
  const wish = await scene.wish();
  victim.link('nats').cut();
  await until(async () => (await victim.stats()).messaging === false);
  await diesAfterTheCommit(wish);
  await comesBack(wish);
});

test('6b: a message that the stream had after all finds the row of the direct admission', async () => {
  const wish = await scene.wish();
  orderStream.cut();
  victim.link('nats').dropReplies();
  assert.is((await scene.pressOn(http, wish)).status, 201);
  assert.is(await scene.claimMessages(), 1);
  await victim.kill();
  await comesBack(wish);
});

test('9: it dies before the gate learns what was decided: the sweep settles from the ledger', async () => {
  const wish = await scene.wish({ capacity: 2 });
  const said = stoppedInTheStream(wish);
  await until(async () => (await scene.claimMessages()) === 1);
  victim.link('redis').blackhole();
  orderStream.heal();
  assert.is((await said).status, 201);
  await victim.kill();
  assert.equal(await scene.journal.claims(wish.skuId), [wish.orderId]);
  await comesBack(wish);
  await scene.assertOneOrder(http, scene.another(wish, 'ben'));
});

test('9: it dies after it promised an order: the promise is kept, and the same key gets that order', async () => {
  const wish = await scene.wish();
  await scene.switchOrderPath('STREAM');
  await until(async () => (await victim.stats()).switches === 1);
  assert.is((await stoppedInTheStream(wish)).status, 202);
  assert.equal(await scene.journal.promises(), [wish.orderId]);
  await victim.kill();
  orderStream.heal();
  await until(async () => (await scene.stateOf(wish)) === 'HELD');
  await comesBack(wish);
});

function personOf({ userId, storeId, key, skuId }: Wish): Person {
  return person({ userId, storeId, key, arrivesAtMs: 0, lines: [{ skuId, quantity: 1 }] });
}

/** Everything it hears from the ledger is lost from the moment on in which its admission waits for the stock. */
async function diesAfterTheCommit(wish: Wish): Promise<void> {
  const stock = await scene.lock(wish);
  void scene.press(http, wish);
  await stock.somebodyWaits();
  victim.link('postgres').dropReplies();
  await stock.unlock();
  await until(async () => (await scene.stateOf(wish)) === 'HELD');
  await victim.kill();
}

test.run();
