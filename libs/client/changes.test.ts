import { OrderState, RefusalReason } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import { Fault } from '#libs/refusal/fault.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import { connectHoldfast, type HoldfastClient } from './index.js';
import { heldOrder, noRefusal, type StandInGateway, startStandInGateway } from './stand-in-gateway.js';

const test = suite('client: changes of orders, and skus');
let gateway: StandInGateway;
let client: HoldfastClient;

test.before(async () => {
  gateway = await startStandInGateway();
  client = connectHoldfast(gateway.address, { acceptLanguage: 'zh-CN,en;q=0.5' });
});
test.after(async () => {
  client.close();
  await gateway.close();
});

const { orderId } = heldOrder;
const again = () => new Fault('ORDER_PENDING', 'not decided', { retryAfterMs: 10 });

test('lines are taken out under one request_id, however often it is sent', async () => {
  const sent: unknown[] = [];
  const faults = [again()];
  gateway.serves({
    async cancelOrderLines(request) {
      sent.push(request);
      const fault = faults.shift();
      if (fault) throw fault;
      return { order: { ...heldOrder, version: 2 } };
    },
  });
  const order = await client.cancelOrderLines(orderId, [{ skuId: 'mug', quantity: 1 }], {
    requestId: 'key-2',
    reason: 'one is enough',
  });
  assert.is(order.version, 2);
  const lines = [{ skuId: 'mug', quantity: 1, attendeeId: '', unitPriceMinor: 0 }];
  const request = { orderId, requestId: 'key-2', lines, reason: 'one is enough' };
  assert.equal(sent, [request, request]);
});

test('a move is told as what it came to: moved, or refused with its reason', async () => {
  const sent: string[] = [];
  const refusal = { ...noRefusal, reason: RefusalReason.REFUSAL_REASON_SOLD_OUT };
  gateway.serves({
    async moveOrder({ toSkuId, fromSkuId, requestId }) {
      sent.push(requestId);
      if (toSkuId === 'full') return { outcome: { $case: 'refusal', value: refusal } };
      const [line] = heldOrder.lines;
      assert.is(fromSkuId, toSkuId === 'cup' ? '' : 'mug');
      return { outcome: { $case: 'order', value: { ...heldOrder, lines: line ? [{ ...line, skuId: toSkuId }] : [] } } };
    },
  });
  const moved = await client.moveOrder(orderId, { toSkuId: 'cup' });
  assert.ok(moved.kind === 'MOVED' && moved.order.lines[0]?.skuId === 'cup');
  assert.is((await client.moveOrder(orderId, { toSkuId: 'bowl', fromSkuId: 'mug' })).kind, 'MOVED');
  assert.equal(await client.moveOrder(orderId, { toSkuId: 'full' }), { kind: 'REFUSED', reason: 'SOLD_OUT', refusal });
  assert.is(new Set(sent).size, 3);
});

test('a hold is prolonged, and what no repetition mends is thrown at once', async () => {
  const later = new Date('2030-01-01T00:30:00.000Z');
  let tries = 0;
  gateway.serves({
    async extendHold({ requestId }) {
      tries += 1;
      if (requestId === 'second') throw new Fault('ORDER_STATE', 'prolonged before');
      if (tries === 1) throw again();
      return { order: { ...heldOrder, expiresAt: later } };
    },
  });
  const { expiresAt, state } = await client.extendHold(orderId);
  assert.equal([expiresAt, state, tries], [later, OrderState.ORDER_STATE_HELD, 2]);
  const fault = await rejectionOf(client.extendHold(orderId, { requestId: 'second' }), Fault);
  assert.equal([fault.reason, tries], ['ORDER_STATE', 3]);
});

test('a fault says what happened in the language that was asked for', async () => {
  gateway.serves({
    async getOrder() {
      throw new Fault('ORDER_NOT_FOUND', 'There is no such order');
    },
  });
  const { localized, message } = await rejectionOf(client.getOrder(orderId), Fault);
  assert.equal([localized?.locale, message], ['zh-CN', 'There is no such order']);
  assert.match(localized?.message ?? '', /\p{Script=Han}/u);
  const english = connectHoldfast(gateway.address);
  assert.is((await rejectionOf(english.getOrder(orderId), Fault)).localized?.locale, 'en');
  english.close();
});

test('what was asked of the availability is passed on, and its answer back', async () => {
  gateway.serves({
    async getAvailability({ skuIds }) {
      assert.equal(skuIds, ['mug', 'cup']);
      return { availability: [] };
    },
  });
  assert.equal(await client.getAvailability(['mug', 'cup']), []);
});

test.run();
