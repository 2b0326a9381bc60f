import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type FaultProxy, faultProxy } from '#libs/testing/fault-proxy.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { person } from '../../deploy/rush/scenario.js';
import { inventoryDoor } from '../doors.js';
import { Scene } from './scene.js';

const test = suite('what a server remembered is lost');
let scene: Scene;
let inventory: string;
let http: string;
let orderStream: FaultProxy;

test.before(async () => {
  scene = await Scene.open();
  const { services, nats } = scene;
  // What nobody decides shall stay in the stream, and be promised.
  await scene.switchOrderPath('STREAM');
  orderStream = await faultProxy('127.0.0.1', nats.port);
  const order = (await services.order({ NATS_URL: orderStream.url(nats.url) })).grpcAddress;
  inventory = (await services.inventory()).grpcAddress;
  const gateway = (await services.gateway({ inventory, order })).grpcAddress;
  http = (await services.bff({ gateway })).httpAddress;
});
test.after(async () => {
  await scene.close();
  await orderStream.close();
});

test('B10: after Redis has forgotten everything the same key gets the same order, and nobody a unit too many', async () => {
  const wish = await scene.wish({ capacity: 1 });
  const late = scene.another(wish, 'ben');
  await scene.pressOn(http, wish);
  const refused = await scene.pressOn(http, late);
  await scene.journal.flush();
  await scene.assertOneOrder(http, wish);
  const again = await scene.pressOn(http, late);
  assert.equal([again.status, again.body.reason], [refused.status, refused.body.reason]);
  await scene.assertAtRest(inventory);
});

test('D08: a power cut takes 200 promised orders out of the stream: the journal has them, each becomes one order', async () => {
  const { storeId, skuId } = await scene.wish({ capacity: 150 });
  const store = join(scene.nats.directory, 'store');
  await scene.nats.kill();
  cpSync(store, `${store}-earlier`, { recursive: true });
  await scene.nats.start();
  orderStream.cut();
  await until(async () => (await scene.claimMessages()) === 0);

  const people = Array.from({ length: 200 }, (_, n) =>
    person({ userId: `user-${n}`, storeId, arrivesAtMs: 0, lines: [{ skuId, quantity: 1 }] }),
  );
  const door = inventoryDoor([inventory]);
  const replies = await Promise.all(people.slice(0, 150).map((one) => door.place(one)));
  assert.equal([...new Set(replies.map(({ kind }) => kind))], ['PENDING']);

  await scene.nats.kill();
  rmSync(store, { recursive: true });
  cpSync(`${store}-earlier`, store, { recursive: true });
  await scene.nats.start();
  orderStream.heal();
  await until(() => scene.swept(inventory), { timeoutMs: 20_000 });
  const ids = replies.map((reply) => (reply.kind === 'PENDING' ? reply.orderId : ''));
  const orders = await scene.ledger.ledger.ordersRead(ids);
  assert.is(orders.filter(({ state }) => state === 'HELD').length, 150);
  const kinds = await Promise.all(people.map(async (one) => (await door.place(one)).kind));
  assert.equal(kinds, [...Array(150).fill('HELD'), ...Array(50).fill('REFUSED')]);
  door.close();
  await scene.assertAtRest(inventory);
});

test.run();
