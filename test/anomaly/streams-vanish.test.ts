import { AlertKind, AlertServiceDefinition } from '#libs/contracts/gen/holdfast/control/v1/alert_service.js';
import { type Client, connect } from '#libs/rpc/client.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { Scene, type Wish } from './scene.js';

const test = suite('what carries claims vanishes');
const people = 40;
let scene: Scene;
let inventory: string;
let http: string;
let alerts: Client<AlertServiceDefinition>;
let readyz: string;

test.before(async () => {
  scene = await Scene.open();
  const { services } = scene;
  const order = await services.order();
  inventory = (await services.inventory()).grpcAddress;
  const gateway = (await services.gateway({ inventory, order: order.grpcAddress })).grpcAddress;
  http = (await services.bff({ gateway })).httpAddress;
  alerts = connect(AlertServiceDefinition, order.grpcAddress, { defaultDeadlineMs: 10_000 });
  readyz = `http://${order.adminAddress}/readyz`;
  await until(async () => (await fetch(readyz)).status === 200);
});
test.after(async () => {
  alerts.close();
  await scene.close();
});

/** Half as many units as people, who come one after the other and press until they are decided; `at` half-way something happens. */
async function rush(at: (wish: Wish) => Promise<unknown>): Promise<Wish> {
  const wish = await scene.wish({ capacity: people / 2 });
  const pressing: Promise<number>[] = [];
  for (let n = 0; n < people; n += 1) {
    const one = scene.another(wish, `user-${n}`);
    pressing.push(scene.pressOn(http, one).then(({ status }) => status));
    if (n === people / 4) await at(wish);
  }
  const statuses = await Promise.all(pressing);
  assert.is(statuses.filter((status) => status === 201).length, people / 2);
  await scene.assertAtRest(inventory);
  const stock = await scene.ledger.stock(wish.skuId);
  assert.equal([stock.free, stock.held], [0, people / 2]);
  return wish;
}

test('D13: a consumer that is deleted under load is made again, all that came is decided, and somebody is alerted', async () => {
  await scene.switchOrderPath('STREAM');
  await rush((wish) => scene.takeAway('consumer', wish));
  const raised = await until(
    async () => {
      const { alerts: all } = await alerts.listAlerts({ withCleared: true, pageSize: 0, pageToken: '' });
      return all.find(({ kind }) => kind === AlertKind.ALERT_KIND_STALLED_CONSUMER);
    },
    { timeoutMs: 20_000 },
  );
  assert.match(raised.facts, 'vanished');
});

test('D09: a stream that is deleted during traffic turns the probe red, is made again as it was, and loses no order', async () => {
  await scene.switchOrderPath('AUTO');
  let before: Awaited<ReturnType<Scene['claimsStreamConfig']>>;
  const wish = await rush(async (each) => {
    before = await scene.claimsStreamConfig(each);
    // A glance may come too late to see it gone: it is taken away until one did not.
    await until(
      async () => {
        await scene.takeAway('stream', each).catch(() => undefined);
        return until(async () => (await fetch(readyz)).status === 503, { timeoutMs: 1_000 }).catch(() => false);
      },
      { timeoutMs: 30_000 },
    );
  });
  await until(async () => (await fetch(readyz)).status === 200);
  const after = await scene.claimsStreamConfig(wish);
  assert.ok(before?.retention);
  assert.equal(after, before);
});

test.run();
