import { StockFreed } from '#libs/contracts/gen/holdfast/event/v1/order_event.js';
import { OrderState, PaymentState } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import { claimOf } from '#libs/ledger/test-ledger.js';
import { Fault } from '#libs/refusal/fault.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { type RunningOrder, Stage } from './test-stage.js';

const test = suite('the verbs of an order');
let stage: Stage;
let service: RunningOrder;
const freed: string[] = [];

test.before(async () => {
  stage = await Stage.open();
  service = await stage.start();
  stage.messaging.subscribe('stock.freed.*', (data) => freed.push(...StockFreed.decode(data).skuIds));
});
test.after(() => stage.close());

async function held(user: string, parts: Parameters<typeof stage.ledger.sku>[0] = {}) {
  const { skuId } = await stage.ledger.sku(parts);
  const claim = claimOf(user, skuId);
  await stage.ledger.ledger.claimsAdmit([claim]);
  return { orderId: claim.orderId, skuId };
}

const cancel = (orderId: string, userId: string) =>
  service.client.cancelOrder({ orderId, userId, requestId: 'r-1', reason: 'plans changed' });

const payment = (orderId: string, parts = {}) => ({
  orderId,
  provider: 'till',
  providerPaymentId: `p-${orderId}`,
  amountMinor: 1_500,
  currency: 'EUR',
  requestId: 'r-1',
  ...parts,
});

test('another user’s order, an unknown one and an impossible id are all the same to who asks', async () => {
  const { orderId } = await held('ann');
  const mine = await service.client.getOrder({ orderId, userId: 'ann' });
  assert.is(mine.order?.state, OrderState.ORDER_STATE_HELD);
  for (const [id, user] of [
    [orderId, 'bob'],
    ['00000000-0000-8000-8000-000000000000', 'ann'],
    ['nothing like an id', 'ann'],
  ] as const) {
    const fault = await rejectionOf(service.client.getOrder({ orderId: id, userId: user }), Fault);
    assert.equal(
      [fault.reason, fault.message, fault.metadata],
      ['ORDER_NOT_FOUND', 'there is no such order', { order_id: id }],
    );
    assert.is((await rejectionOf(cancel(id, user), Fault)).reason, 'ORDER_NOT_FOUND');
  }
});

test('a cancelled order gives its units back once and says so to the gates', async () => {
  const { orderId, skuId } = await held('ann', { capacity: 1 });
  const orders = await Promise.all([cancel(orderId, 'ann'), cancel(orderId, 'ann'), cancel(orderId, '')]);
  for (const { order } of orders) assert.is(order?.state, OrderState.ORDER_STATE_CANCELLED);
  assert.equal(await stage.movements(orderId), ['ADMIT', 'CANCEL']);
  await until(() => freed.includes(skuId));
  assert.is(freed.filter((sku) => sku === skuId).length, 1);
});

test('a payment confirms a hold once, and another one is due for refund', async () => {
  const { orderId } = await held('ann');
  const confirmations = await Promise.all([1, 2, 3].map(() => service.client.confirmPayment(payment(orderId))));
  for (const { order, paymentState } of confirmations) {
    assert.equal([order?.state, paymentState], [OrderState.ORDER_STATE_CONFIRMED, PaymentState.PAYMENT_STATE_CAPTURED]);
  }
  const second = await service.client.confirmPayment(payment(orderId, { providerPaymentId: 'another' }));
  assert.is(second.paymentState, PaymentState.PAYMENT_STATE_REFUND_DUE);
  assert.equal(await stage.movements(orderId), ['ADMIT', 'PAY']);
});

test('A20 a hold whose buyer vanished comes back once after its time, and the next one can have it', async () => {
  const { skuId } = await stage.ledger.sku({ capacity: 1, holdTtlSeconds: 1 });
  const vanished = claimOf('ann', skuId);
  await stage.place(vanished);
  await until(() => stage.decisions.has(vanished.orderId));
  await until(async () => {
    const runs = await Promise.all([1, 2].map(() => service.client.expireDue({ batchSize: 0 })));
    return runs.some((run) => run.expired > 0);
  });
  assert.equal(await stage.movements(vanished.orderId), ['ADMIT', 'EXPIRE']);
  await until(() => freed.includes(skuId));
  const next = claimOf('bob', skuId);
  await stage.place(next);
  await until(() => stage.decisions.get(next.orderId)?.[0]?.decided?.$case === 'order');
});

test('expiry is a batch a call and says when the next hold is due', async () => {
  const orders = [await held('a'), await held('b'), await held('c')];
  for (const { orderId } of orders) await stage.ledger.expire(orderId);
  const remaining = await held('d');
  assert.is((await service.client.expireDue({ batchSize: 2 })).expired, 2);
  const { expired, nextDueAt } = await service.client.expireDue({ batchSize: 2 });
  const { order } = await service.client.getOrder({ orderId: remaining.orderId, userId: '' });
  assert.is(expired, 1);
  assert.ok(nextDueAt && order?.expiresAt && nextDueAt <= order.expiresAt);
});

test('orders are listed newest first, by user or by sku, in pages', async () => {
  const { skuId } = await stage.ledger.sku();
  const claims = ['lea', 'mia', 'noa'].map((user) => claimOf(user, skuId));
  for (const claim of claims) await stage.ledger.ledger.claimsAdmit([claim]);
  const bySku = { userId: '', skuId, pageSize: 2, pageToken: '' };
  const first = await service.client.listOrders(bySku);
  const second = await service.client.listOrders({ ...bySku, pageToken: first.nextPageToken });
  assert.equal(
    [...first.orders, ...second.orders].map((order) => order.userId),
    ['noa', 'mia', 'lea'],
  );
  assert.is(second.nextPageToken, '');
  const byUser = await service.client.listOrders({ userId: 'mia', skuId: '', pageSize: 0, pageToken: '' });
  assert.equal(
    byUser.orders.map((order) => order.orderId),
    [claims[1]?.orderId],
  );
});

test('a request that is wrong in several ways is told all of them', async () => {
  const fieldsOf = async (call: Promise<unknown>): Promise<string[]> => {
    const fault = await rejectionOf(call, Fault);
    assert.is(fault.reason, 'INVALID_REQUEST');
    return fault.violations.map((violation) => violation.field);
  };
  const { client } = service;
  const list = { userId: 'ann', skuId: 'no such thing', pageSize: -1, pageToken: '' };
  assert.equal(await fieldsOf(client.listOrders(list)), ['user_id', 'sku_id', 'page_size']);
  assert.equal(await fieldsOf(client.listOrders({ ...list, userId: '', skuId: '' })), ['user_id', 'page_size']);
  assert.equal(await fieldsOf(client.listOrders({ ...list, skuId: '', pageSize: 1, pageToken: 'mine' })), [
    'page_token',
  ]);
  const cancellation = { orderId: 'x', userId: 'a b', requestId: '', reason: 'line\nbreak' };
  assert.equal(await fieldsOf(client.cancelOrder(cancellation)), ['user_id', 'request_id', 'reason']);
  const wrong = { provider: '', providerPaymentId: 'é', amountMinor: -1, currency: 'euro', requestId: 'x'.repeat(256) };
  const wrongFields = ['provider', 'provider_payment_id', 'amount_minor', 'currency', 'request_id'];
  assert.equal(await fieldsOf(client.confirmPayment(payment('x', wrong))), wrongFields);
  assert.equal(await fieldsOf(client.expireDue({ batchSize: 1_001 })), ['batch_size']);
});

test('readiness needs the ledger and NATS, liveness nothing', async () => {
  const status = async (path: string) => (await fetch(`${service.adminUrl}${path}`)).status;
  assert.is(await status('/readyz'), 200);
  stage.nats.freeze();
  await until(async () => (await status('/readyz')) === 503);
  assert.is(await status('/livez'), 200);
  stage.nats.thaw();
  await until(async () => (await status('/readyz')) === 200);
});

test.run();
