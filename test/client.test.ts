import { randomUUID } from 'node:crypto';
import {
  connectHoldfast,
  Fault,
  type Holdfast,
  type HoldfastClient,
  OrderState,
  WaitlistState,
} from '#libs/client/index.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import { testIdentity, tokenOf } from '#libs/testing/test-issuer.js';
import { until } from '#libs/testing/until.js';
import { Scene } from './anomaly/scene.js';
import type { Victim } from './victim.js';

const test = suite('the client against a mesh');
let scene: Scene;
let victim: Victim;
let gateways: string;
let client: HoldfastClient;
let ada: Holdfast;

test.before(async () => {
  scene = await Scene.open();
  const order = (await scene.services.order()).grpcAddress;
  const inventory = (await scene.services.inventory()).grpcAddress;
  victim = await scene.victim('gateway', { inventory, order, redis: scene.redis.url }, testIdentity());
  const living = (await scene.services.gateway({ inventory, order }, testIdentity())).grpcAddress;
  gateways = `${victim.address},${living}`;
  client = connectHoldfast(gateways, { token: () => tokenOf('booking-desk', { role: 'SERVICE' }) });
  ada = client.forUser('ada');
});
test.after(async () => {
  client.close();
  await scene.close();
});

async function wish(sku: Parameters<Scene['ledger']['sku']>[0] = {}) {
  const { skuId, storeId } = await scene.ledger.sku({ storeId: `store-${randomUUID()}`, capacity: 1, ...sku });
  return { storeId, lines: [{ skuId, quantity: 1 }] };
}

/** Reserves what must succeed. */
async function held(user: Holdfast, one: Awaited<ReturnType<typeof wish>>) {
  const outcome = await user.reserve(one);
  if (outcome.kind === 'PENDING') await user.waitForOrder(outcome.orderId);
  assert.ok(outcome.kind === 'HELD' || outcome.kind === 'PENDING', outcome.kind);
  return user.getOrder(outcome.kind === 'HELD' ? outcome.order.orderId : outcome.orderId);
}

test('who watches an order is told its last state over the death of a gateway, whichever it was', async () => {
  const order = await held(ada, await wish());
  const told = await Promise.all(
    // Calls go round the gateways: of four watchers some are with the one that dies.
    Array.from({ length: 4 }, async () => {
      const states: OrderState[] = [];
      const watching = (async () => {
        for await (const { state } of ada.watchOrder(order.orderId)) states.push(state);
      })();
      await until(() => states.length > 0);
      return { states, watching };
    }),
  );
  await victim.kill();
  const cancelled = await ada.cancelOrder(order.orderId, { reason: 'ill' });
  assert.is(cancelled.state, OrderState.ORDER_STATE_CANCELLED);
  await Promise.all(told.map(({ watching }) => watching));
  for (const { states } of told) {
    assert.equal(states, [OrderState.ORDER_STATE_HELD, OrderState.ORDER_STATE_CANCELLED]);
  }
  await victim.restart();
});

test('who waits for what is sold out hears of the offer, and of the end when leaving', async () => {
  const one = await wish({ onSoldOut: 'JOIN_WAITLIST' });
  const first = await held(ada, one);
  const ben = client.forUser('ben');
  const waiting = await ben.reserve(one);
  assert.ok(waiting.kind === 'WAITLISTED' && waiting.state === 'WAITING' && waiting.peopleAhead === 0);
  const states: WaitlistState[] = [];
  const watching = (async () => {
    for await (const { state } of ben.watchWaitlist(waiting.entryId)) states.push(state);
  })();
  await until(() => states.length === 1);
  await ada.cancelOrder(first.orderId);
  await until(() => states.includes(WaitlistState.WAITLIST_STATE_OFFERED));
  const offered = await ben.reserve({ ...one, requestId: waiting.requestId });
  assert.ok(offered.kind === 'HELD' && offered.order.entryId === waiting.entryId);
  await ben.leaveWaitlist(waiting.entryId);
  await watching;
  assert.is(states.at(-1), WaitlistState.WAITLIST_STATE_DECLINED);
  assert.is((await ben.getWaitlistEntry(waiting.entryId)).state, WaitlistState.WAITLIST_STATE_DECLINED);
});

test('the orders of a user are listed over all pages, newest first', async () => {
  const cleo = client.forUser('cleo');
  const ids: string[] = [];
  for (let n = 0; n < 3; n += 1) ids.unshift((await held(cleo, await wish())).orderId);
  const listed: string[] = [];
  for await (const { orderId } of cleo.listOrders({ pageSize: 2 })) listed.push(orderId);
  assert.equal(listed, ids);
});

test('a sku that is gone is a no with its reason, and what is left is told', async () => {
  const one = await wish();
  await held(ada, one);
  const no = await client.forUser('ben').reserve({ ...one, onSoldOut: 'REFUSE' });
  assert.ok(no.kind === 'REFUSED' && no.reason === 'ALL_HELD', no.kind);
  const { sku, availability } = await ada.getSku(one.lines[0]?.skuId ?? '');
  assert.equal([sku.capacity, availability?.free], [1, 0]);
});

test('an order is moved, loses lines, and its hold is prolonged while it is being paid', async () => {
  const user = client.forUser('dora');
  const one = await wish({ capacity: 3, maxPerOrder: 2, perUserLimit: 2 });
  const { storeId } = one;
  const [from, to, full] = [
    one,
    await wish({ storeId, capacity: 2, perUserLimit: 2 }),
    await wish({ storeId, capacity: 1, perUserLimit: 2 }),
  ].map(({ lines }) => lines[0]?.skuId ?? '');
  const { orderId } = await held(user, { storeId, lines: [{ skuId: from ?? '', quantity: 2 }] });
  const refused = await user.moveOrder(orderId, { toSkuId: full ?? '' });
  assert.ok(refused.kind === 'REFUSED' && refused.reason === 'NOT_ENOUGH', JSON.stringify(refused));
  const moved = await user.moveOrder(orderId, { toSkuId: to ?? '' });
  assert.ok(moved.kind === 'MOVED' && moved.order.lines[0]?.skuId === to);
  const { lines } = await user.cancelOrderLines(orderId, [{ skuId: to ?? '', quantity: 1 }]);
  assert.is(lines[0]?.quantity, 1);
  assert.is((await rejectionOf(user.extendHold(orderId), Fault)).reason, 'ORDER_STATE');
  const free = { [to ?? '']: 1, [from ?? '']: 3 };
  for (const asked of [Object.keys(free), Object.keys(free).reverse()]) {
    const now = await user.getAvailability(asked.toSpliced(1, 0, 'no-such-sku'));
    assert.equal(
      now.map((one) => [one.skuId, one.free]),
      asked.map((skuId) => [skuId, free[skuId]]),
    );
  }
  const listed: [string, number | undefined][] = [];
  for await (const { sku, availability } of user.listSkus({ storeId, pageSize: 2 })) {
    listed.push([sku.skuId, availability?.free]);
  }
  assert.equal(
    new Map(listed),
    new Map([
      [from, 3],
      [to, 1],
      [full, 1],
    ] as [string, number][]),
  );
});

test('a token of a user speaks for that user alone, and one that is not believed is told at once', async () => {
  const order = await held(ada, await wish());
  const own = connectHoldfast(gateways, { token: tokenOf('ada') });
  assert.is((await own.getOrder(order.orderId)).orderId, order.orderId);
  const other = await rejectionOf(own.forUser('ben').getOrder(order.orderId), Fault);
  own.close();
  assert.is(other.reason, 'PERMISSION_DENIED');
  const nobody = connectHoldfast(gateways, { token: 'made-up' });
  assert.is((await rejectionOf(nobody.getOrder(order.orderId), Fault)).reason, 'TOKEN_INVALID');
  nobody.close();
});

test.run();
