import { OrderState, PaymentState } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import { orderId } from '#libs/contracts/order-id.js';
import { Fault } from '#libs/refusal/fault.js';
import { gate } from '#libs/testing/gate.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { type ChangesUnderTest, changesWith } from '../../test/changes-under-test.js';
import { orderOf } from '../../test/fake-peers.js';
import type { Caller, Orders } from './ports.js';

const test = suite('change order');

const id = orderId('store-1', 'ana', 'key-1');
const held = orderOf({ orderId: id, userId: 'ana' }, OrderState.ORDER_STATE_HELD);
const cancel = { orderId: id, userId: 'ana', requestId: 'key-1', reason: 'ill' };
const payment = {
  orderId: id,
  provider: 'stripe',
  providerPaymentId: 'pi-1',
  amountMinor: 1_500,
  currency: 'EUR',
  requestId: 'key-1',
};
const caller = { remainingMs: () => 5_000 } as Caller;

let changes: ChangesUnderTest;
/** What reached the order service, in its order. */
let calls: string[];

test.after.each(() => changes.close());

function start(orders: Partial<Orders> = {}, options: Parameters<typeof changesWith>[1] = {}): ChangesUnderTest {
  calls = [];
  changes = changesWith(async () => undefined, {
    orders: {
      cancel: async (request) => {
        calls.push(`cancel ${request.userId} ${request.reason}, announced: ${changes.requests.changed.length > 0}`);
        return { order: { ...held, userId: request.userId, state: OrderState.ORDER_STATE_CANCELLED } };
      },
      confirmPayment: async (request) => {
        calls.push(`pay ${request.provider}, announced: ${changes.requests.changed.length > 0}`);
        return { order: held, paymentState: PaymentState.PAYMENT_STATE_CAPTURED };
      },
      ...orders,
    },
    ...options,
  });
  return changes;
}

test('a cancellation goes out once, after it was announced, and is told again with the same bytes', async () => {
  const { cancelOrder, requests } = start();
  const first = await cancelOrder(cancel, caller);
  assert.is(first.order?.state, OrderState.ORDER_STATE_CANCELLED);
  assert.equal(await cancelOrder(cancel, caller), first);
  assert.equal(calls, ['cancel ana ill, announced: true']);
  assert.equal(requests.changed, [id]);
});

test('B01: another order or reason under the same id is reused, another method is not', async () => {
  const { cancelOrder, confirmPayment } = start();
  await cancelOrder({ ...cancel, userId: payment.provider }, caller);
  await cancelOrder(cancel, caller);
  const another = orderId('store-1', 'ana', 'key-2');
  for (const other of [{ reason: 'other' }, { orderId: another }]) {
    const fault = await rejectionOf(cancelOrder({ ...cancel, ...other }, caller), Fault);
    assert.equal([fault.reason, fault.metadata], ['REQUEST_ID_REUSED', {}]);
    assert.match(fault.message, 'needs a new request id');
  }
  await confirmPayment(payment, caller);
  for (const other of [{ amountMinor: 1 }, { currency: 'USD' }, { providerPaymentId: 'pi-2' }, { orderId: another }]) {
    const fault = await rejectionOf(confirmPayment({ ...payment, ...other }, caller), Fault);
    assert.is(fault.reason, 'REQUEST_ID_REUSED');
  }
  assert.is(calls.length, 3);
});

test('B07: another user, and another provider, with the same id is another request', async () => {
  const { cancelOrder, confirmPayment } = start();
  const first = await cancelOrder(cancel, caller);
  const second = await cancelOrder({ ...cancel, userId: 'ben' }, caller);
  assert.equal([first.order?.userId, second.order?.userId], ['ana', 'ben']);
  await confirmPayment(payment, caller);
  await confirmPayment({ ...payment, provider: 'adyen' }, caller);
  assert.is(calls.length, 4);
});

test('B02: parallel tries of a payment go out once', async () => {
  const door = gate();
  let paid = 0;
  const { confirmPayment } = start({
    confirmPayment: async () => {
      paid += 1;
      await door.passed;
      return { order: held, paymentState: PaymentState.PAYMENT_STATE_CAPTURED };
    },
  });
  const tries = Array.from({ length: 20 }, () => confirmPayment(payment, caller));
  await until(() => paid === 1);
  door.open();
  for (const answer of await Promise.all(tries)) assert.is(answer.paymentState, PaymentState.PAYMENT_STATE_CAPTURED);
  assert.is(paid, 1);
});

test('a cancellation is paid by its user, a payment by nobody', async () => {
  const { cancelOrder, confirmPayment, requests } = start();
  await cancelOrder(cancel, caller);
  await confirmPayment(payment, caller);
  assert.equal(
    requests.begun.map(({ userId, skus }) => [userId, skus]),
    [
      ['ana', []],
      ['', []],
    ],
  );
});

test('without Redis both go straight through, and only the cancellation asks the local bucket', async () => {
  const asked: string[] = [];
  const localBuckets = {
    take: ({ userId }: { userId: string }) => {
      asked.push(userId);
      return undefined;
    },
    heard: () => undefined,
  };
  const { cancelOrder, confirmPayment, requests } = start({}, { localBuckets });
  requests.isAway = true;
  await cancelOrder(cancel, caller);
  await confirmPayment(payment, caller);
  assert.equal(calls, ['cancel ana ill, announced: false', 'pay stripe, announced: false']);
  assert.equal(asked, ['ana']);
});

test('whoever is beyond the limit is told which one', async () => {
  const { cancelOrder, requests } = start();
  requests.answer = { kind: 'LIMITED', limit: 'USER', perSecond: 20, burst: 40, retryAfterMs: 50 };
  const fault = await rejectionOf(cancelOrder(cancel, caller), Fault);
  assert.equal([fault.reason, fault.metadata.limit, fault.retryAfterMs], ['RATE_LIMITED', 'USER', 50]);
  assert.equal(calls, []);
});

test('an id that no order can have is not found, and leaves no mark', async () => {
  const { cancelOrder, requests } = start();
  assert.is((await rejectionOf(cancelOrder({ ...cancel, orderId: 'nope' }, caller), Fault)).reason, 'ORDER_NOT_FOUND');
  assert.is(requests.begun.length, 0);
});

test.run();
