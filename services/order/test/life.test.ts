import { randomUUID } from 'node:crypto';
import { OrderDeskServiceDefinition } from '#libs/contracts/gen/holdfast/control/v1/order_desk_service.js';
import { OrderState, RefusalReason } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import { CallerRole } from '#libs/contracts/gen/holdfast/order/v1/payment.js';
import { claimOf, lineOf } from '#libs/ledger/test-ledger.js';
import { Fault } from '#libs/refusal/fault.js';
import { type Client, connect } from '#libs/rpc/client.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import { type RunningOrder, Stage } from './test-stage.js';

const test = suite('the life of an order');
const olga = { metadata: { 'holdfast-actor-role': 'operator', 'holdfast-actor': 'olga' } };
let stage: Stage;
let order: RunningOrder;
let desk: Client<typeof OrderDeskServiceDefinition>;

test.before(async () => {
  stage = await Stage.open();
  order = await stage.start();
  desk = connect(OrderDeskServiceDefinition, order.grpcAddress, { defaultDeadlineMs: 5_000 });
});
test.after(async () => {
  desk.close();
  await stage.close();
});

const key = (): string => randomUUID();

async function held(quantity = 1, sku: Parameters<Stage['ledger']['sku']>[0] = {}) {
  const { skuId } = await stage.ledger.sku({ perUserLimit: 5, ...sku });
  const userId = `u-${key()}`;
  const claim = claimOf(userId, [lineOf(skuId, userId, quantity)]);
  await stage.ledger.admit(claim);
  return { orderId: claim.orderId, userId, skuId };
}

function lineMessage(skuId: string, quantity: number) {
  return { skuId, quantity, attendeeId: '', unitPriceMinor: 0 };
}

async function paid(orderId: string, amountMinor = 1_500): Promise<void> {
  const payment = { provider: 'bank', providerPaymentId: key(), amountMinor, currency: 'EUR' };
  await order.client.confirmPayment({ ...payment, orderId, requestId: key() });
}

test('A09: lines are taken out once for their request_id, and only those come back', async () => {
  const { orderId, userId, skuId } = await held(3);
  const part = { orderId, userId, role: CallerRole.CALLER_ROLE_USER, lines: [lineMessage(skuId, 2)], reason: 'ill' };
  const requestId = key();
  for (let told = 0; told < 2; told += 1) {
    const { order: now } = await order.client.cancelOrderLines({ ...part, requestId });
    assert.equal(
      now?.lines.map(({ quantity }) => quantity),
      [1],
    );
  }
  const { free, held: kept } = await stage.ledger.stock(skuId);
  assert.equal([free, kept], [9, 1]);
  const tooMany = await rejectionOf(order.client.cancelOrderLines({ ...part, requestId: key() }), Fault);
  assert.is(tooMany.reason, 'INVALID_REQUEST');
});

test('an order moves to another sku, or is told why not and stays', async () => {
  const { orderId, userId, skuId } = await held();
  const full = await stage.ledger.sku({ capacity: 0 });
  const dear = await stage.ledger.sku({ priceMinor: 9_900 });
  const target = await stage.ledger.sku();
  const move = { orderId, userId, role: CallerRole.CALLER_ROLE_USER, fromSkuId: '' };
  const to = (toSkuId: string) => order.client.moveOrder({ ...move, toSkuId, requestId: key() });
  const refused = [await to(full.skuId), await to(dear.skuId)].map(({ outcome }) =>
    outcome?.$case === 'refusal' ? outcome.value.reason : undefined,
  );
  assert.equal(refused, [RefusalReason.REFUSAL_REASON_SOLD_OUT, RefusalReason.REFUSAL_REASON_PRICE_DIFFERS]);
  const { outcome } = await to(target.skuId);
  assert.is(outcome?.$case, 'order');
  assert.is((await stage.ledger.stock(skuId)).free, 10);
  assert.is((await stage.ledger.stock(target.skuId)).held, 1);
});

test('a hold is prolonged only while it is being paid', async () => {
  const { orderId, userId } = await held();
  const extend = { orderId, userId, role: CallerRole.CALLER_ROLE_USER, requestId: key() };
  assert.is((await rejectionOf(order.client.extendHold(extend), Fault)).reason, 'ORDER_STATE');
  await stage.ledger.ledger.paymentStart({ orderId, userId, provider: 'bank', requestId: key() });
  const { order: now } = await order.client.extendHold({ ...extend, requestId: key() });
  assert.ok(now?.extendedAt);
  const again = await order.client.extendHold({ ...extend, requestId: key() });
  assert.equal(again.order?.expiresAt, now?.expiresAt);
});

test('whoever cancels too late is told so, and an operator is not bound by it', async () => {
  const startsAt = new Date(Date.now() + 3_600_000);
  const slot = { startsAt, timeZone: 'Europe/Berlin', freeCancelSeconds: 86_400, lateCancel: 'REFUSE' } as const;
  const { orderId, userId } = await held(1, slot);
  await paid(orderId);
  const cancel = { orderId, userId, requestId: key(), reason: '' };
  assert.is((await rejectionOf(order.client.cancelOrder(cancel), Fault)).reason, 'CANCEL_TOO_LATE');
  const asOlga = { ...cancel, userId: 'olga', role: CallerRole.CALLER_ROLE_OPERATOR };
  assert.is((await order.client.cancelOrder(asOlga)).order?.state, OrderState.ORDER_STATE_CANCELLED);
  const [newest] = (await desk.listMovements({ skuId: '', orderId, pageSize: 0, pageToken: '' }, olga)).movements;
  assert.equal([newest?.reason, newest?.changedBy, newest?.free], ['CANCEL', 'olga', 1]);
});

test('A08: an order is fulfilled once, by its code, and then not cancelled', async () => {
  const { orderId, userId } = await held();
  await paid(orderId);
  const { order: confirmed } = await order.client.getOrder({ orderId, userId });
  const byCode = { orderId: '', storeId: 'store-1', code: confirmed?.code.toLowerCase() ?? '' };
  const first = await desk.fulfilOrder({ ...byCode, requestId: key() }, olga);
  assert.equal([first.changed, first.order?.state], [true, OrderState.ORDER_STATE_FULFILLED]);
  const second = await desk.fulfilOrder({ ...byCode, requestId: key() }, olga);
  assert.equal([second.changed, second.order?.fulfilledAt], [false, first.order?.fulfilledAt]);
  const cancel = order.client.cancelOrder({ orderId, userId, requestId: key(), reason: '' });
  assert.is((await rejectionOf(cancel, Fault)).reason, 'ORDER_STATE');
});

test('how holds end is told of a sku', async () => {
  const { orderId, userId, skuId } = await held();
  await order.client.cancelOrder({ orderId, userId, requestId: key(), reason: '' });
  const stats = await desk.getHoldStats({ storeId: '', skuId, since: new Date(Date.now() - 60_000) }, olga);
  assert.equal([stats.holds, stats.cancelled, stats.paid, stats.open], [1, 1, 0, 0]);
});

test('everything that is wrong with a request is named at once', async () => {
  const fieldsOf = async (call: Promise<unknown>): Promise<string[]> =>
    (await rejectionOf(call, Fault)).violations.map(({ field }) => field);
  const lines = [lineMessage('a b', 0)];
  assert.equal(
    await fieldsOf(
      order.client.cancelOrderLines({ orderId: '', userId: '', role: 0, requestId: '', lines, reason: '' }),
    ),
    [...['request_id', 'lines[0].sku_id', 'lines[0].quantity']],
  );
  assert.equal(await fieldsOf(desk.fulfilOrder({ orderId: '', storeId: '', code: '', requestId: '' }, olga)), [
    ...['code', 'store_id', 'request_id'],
  ]);
  assert.equal(await fieldsOf(desk.getHoldStats({ storeId: '', skuId: '', since: undefined }, olga)), [
    ...['store_id', 'since'],
  ]);
  assert.equal(await fieldsOf(desk.listMovements({ skuId: '', orderId: '', pageSize: 0, pageToken: '' }, olga)), [
    'sku_id',
  ]);
});

test.run();
