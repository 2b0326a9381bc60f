import { randomUUID } from 'node:crypto';
import { type Plan, ReconcileServiceDefinition } from '#libs/contracts/gen/holdfast/control/v1/reconcile_service.js';
import { OrderServiceDefinition } from '#libs/contracts/gen/holdfast/order/v1/order_service.js';
import { shardOfStore } from '#libs/contracts/order-id.js';
import type { SkuToPut } from '#libs/ledger/sku-violations.js';
import { plainSku } from '#libs/ledger/test-ledger.js';
import { key } from '#libs/redis/keys.js';
import { faultOf } from '#libs/refusal/fault.js';
import { type Client, connect } from '#libs/rpc/client.js';
import { seeded } from '#libs/testing/seeded.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import type { Reply } from '../deploy/rush/reply.js';
import { person } from '../deploy/rush/scenario.js';
import { Scene } from './anomaly/scene.js';
import { type Door, inventoryDoor } from './doors.js';

const test = suite('looks beside a sale');
let scene: Scene;
let door: Door;
let inventory: string;
let looks: Client<typeof ReconcileServiceDefinition>[];
let orders: Client<typeof OrderServiceDefinition>;

test.before(async () => {
  scene = await Scene.open();
  const { services } = scene;
  const order = (await services.order()).grpcAddress;
  inventory = (await services.inventory()).grpcAddress;
  const inventories = [inventory, (await services.inventory()).grpcAddress];
  await services.scheduler({ inventory: inventories.join(), order });
  door = inventoryDoor(inventories);
  looks = inventories.map((address) => connect(ReconcileServiceDefinition, address, { defaultDeadlineMs: 120_000 }));
  orders = connect(OrderServiceDefinition, order, { defaultDeadlineMs: 20_000 });
});
test.after(async () => {
  for (const client of [...looks, orders]) client.close();
  door.close();
  await scene.close();
});

/** A look by one of the inventories, as soon as no other one is under way. */
function look(): Promise<Plan> {
  const requestId = randomUUID();
  return until(
    async () => {
      for (const client of looks) {
        try {
          return (await client.planReconcile({ skuIds: [], endedOnly: false, requestId })).plan;
        } catch (error) {
          if (faultOf(error).reason !== 'RECONCILE_UNDER_WAY') throw error;
        }
      }
      return undefined;
    },
    { timeoutMs: 120_000 },
  );
}

/** What the looks of the scheduler and of the test have found since they began. */
async function foundByAll(): Promise<object[]> {
  return scene.ledger.sql('SELECT kind, sku_id, order_id, detail, mended FROM ledger.reconcile_findings');
}

async function skus(count: number, parts: Partial<SkuToPut>): Promise<string[]> {
  const made = Array.from({ length: count }, () => scene.ledger.sku({ ...plainSku(), ...parts }));
  return (await Promise.all(made)).map(({ skuId }) => skuId);
}

/** One person wants a unit, and asks until it is decided. */
function want(skuId: string, userId = `user-${randomUUID()}`): Promise<Reply> {
  const one = person({ userId, storeId: 'store-1', arrivesAtMs: 0, lines: [{ skuId, quantity: 1 }] });
  return until(
    async () => {
      const reply = await door.place(one);
      return reply.kind === 'HELD' || reply.kind === 'REFUSED' ? reply : undefined;
    },
    { timeoutMs: 60_000 },
  );
}

/** What becomes of an order: paid, cancelled, or left until it expires. */
async function goOn(orderId: string, fate: number): Promise<void> {
  const requestId = randomUUID();
  if (fate < 0.4) {
    const payment = { provider: 'bank', providerPaymentId: requestId, amountMinor: 1_500, currency: 'EUR' };
    await orders.confirmPayment({ orderId, ...payment, requestId });
  } else if (fate < 0.7) await orders.cancelOrder({ orderId, userId: '', requestId, reason: '' });
}

test('a healthy mesh under full load for half a minute gives nothing to find', async () => {
  const random = seeded();
  const skuIds = await skus(20, { capacity: 100, perUserLimit: 1, holdTtlSeconds: 3 });
  const endsAt = performance.now() + 30_000;
  let sold = 0;
  const buyer = async (): Promise<void> => {
    while (performance.now() < endsAt) {
      const reply = await want(random.pick(skuIds));
      if (reply.kind !== 'HELD') continue;
      sold += 1;
      await goOn(reply.orderId, random.integer(0, 99) / 100);
    }
  };
  const buyers = Promise.all(Array.from({ length: 64 }, buyer));
  const plans: Plan[] = [];
  while (performance.now() < endsAt) plans.push(await look());
  await buyers;
  plans.push(await look());
  assert.ok(sold > 100 && plans.length > 3, `${sold} orders, ${plans.length} looks`);
  assert.equal(await foundByAll(), []);
  assert.ok(plans.every(({ findingsCount }) => findingsCount === 0));
});

test('K06: while looks and an operator who restocks go on, exactly the capacity is sold, and nothing drifts', async () => {
  const [skuId = ''] = await skus(1, { capacity: 100, paymentRequired: false });
  let isOver = false;
  const restocking = (async () => {
    while (!isOver) {
      const change = { storeId: 'store-1', skuId, reason: 'more chairs', operator: 'olga', requestId: randomUUID() };
      await scene.ledger.ledger.capacitySet({ ...change, capacity: 120, force: false });
    }
  })();
  const looking = (async () => {
    while (!isOver) await look();
  })();
  const replies: Reply[] = [];
  for (let wave = 0; wave < 2; wave += 1)
    replies.push(...(await Promise.all(Array.from({ length: 500 }, () => want(skuId)))));
  isOver = true;
  await Promise.all([restocking, looking]);
  assert.is(replies.filter(({ kind }) => kind === 'HELD').length, 120);
  const { capacity, free, held, sold } = await scene.ledger.stock(skuId);
  assert.equal({ capacity, free, held, sold }, { capacity: 120, free: 0, held: 0, sold: 120 });
  assert.equal(await foundByAll(), []);
  assert.equal(await scene.ledger.violations(), []);
});

test('E09: a gate that loses its key in the middle of a sale is loaded again, and exactly the capacity is sold', async () => {
  const [skuId = ''] = await skus(1, { capacity: 30, holdTtlSeconds: 900 });
  const gateKey = key(shardOfStore('store-1', 4), 'gate', skuId);
  const replies = await Promise.all(Array.from({ length: 10 }, () => want(skuId)));
  const crowd = Promise.all(Array.from({ length: 60 }, () => want(skuId)));
  await scene.journal.forget(gateKey);
  replies.push(...(await crowd));
  assert.is(replies.filter(({ kind }) => kind === 'HELD').length, 30);
  await scene.journal.forget(gateKey);
  await look();
  await until(async () => (await scene.journal.letIn(gateKey)) === '0');
  await scene.assertAtRest(inventory);
});

test.run();
