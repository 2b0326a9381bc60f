import { OrderState } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import { claimOf } from '#libs/ledger/test-ledger.js';
import { Fault } from '#libs/refusal/fault.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { type RunningOrder, Stage } from './test-stage.js';

const test = suite('watching orders');
let stage: Stage;

test.before(async () => {
  stage = await Stage.open();
});
test.after(() => stage.close());

async function held(user: string): Promise<string> {
  const { skuId } = await stage.ledger.sku();
  const claim = claimOf(user, skuId);
  await stage.ledger.ledger.claimsAdmit([claim]);
  return claim.orderId;
}

/** The states a watcher saw, as they come; `ended` resolves with how the stream ended. */
function watch(service: RunningOrder, orderId: string, userId = 'ann', signal?: AbortSignal) {
  const states: (OrderState | undefined)[] = [];
  const read = async (): Promise<string> => {
    const options = { deadlineMs: 30_000, ...(signal && { signal }) };
    for await (const { order } of service.client.watchOrder({ orderId, userId }, options)) states.push(order?.state);
    return 'end';
  };
  const ended = read().catch((error: unknown) => (error instanceof Fault ? error.reason : String(error)));
  return { states, ended };
}

const { ORDER_STATE_HELD, ORDER_STATE_CONFIRMED, ORDER_STATE_CANCELLED } = OrderState;

test('a watcher sees the order now, then each change, until its state is final', async () => {
  const service = await stage.start();
  const orderId = await held('ann');
  const watcher = watch(service, orderId);
  await until(() => watcher.states.length === 1);
  const payment = { provider: 'till', providerPaymentId: orderId, amountMinor: 1_500, currency: 'EUR', requestId: 'r' };
  await service.client.confirmPayment({ orderId, ...payment });
  await until(() => watcher.states.length === 2);
  await service.client.cancelOrder({ orderId, userId: 'ann', requestId: 'r', reason: '' });
  assert.is(await watcher.ended, 'end');
  assert.equal(watcher.states, [ORDER_STATE_HELD, ORDER_STATE_CONFIRMED, ORDER_STATE_CANCELLED]);
  await service.stop();
});

test('a change that another process made is heard through NATS, and seen without it', async () => {
  for (const natsUrl of [stage.nats.url, undefined]) {
    const [here, there] = [await stage.start({ natsUrl }), await stage.start({ natsUrl })];
    const orderId = await held('ann');
    const watcher = watch(here, orderId);
    await until(() => watcher.states.length === 1);
    await there.client.cancelOrder({ orderId, userId: 'ann', requestId: 'r', reason: '' });
    assert.is(await watcher.ended, 'end');
    assert.equal(watcher.states, [ORDER_STATE_HELD, ORDER_STATE_CANCELLED]);
    await Promise.all([here.stop(), there.stop()]);
  }
});

test('an order that has ended is told once, another user’s and an unknown one not at all', async () => {
  const service = await stage.start();
  const orderId = await held('ann');
  await stage.ledger.ledger.orderCancel({ orderId });
  const watcher = watch(service, orderId);
  assert.is(await watcher.ended, 'end');
  assert.equal(watcher.states, [ORDER_STATE_CANCELLED]);
  assert.is(await watch(service, orderId, 'bob').ended, 'ORDER_NOT_FOUND');
  assert.is(await watch(service, 'no such id').ended, 'ORDER_NOT_FOUND');
  await service.stop();
});

test('watchers are bounded, and one that leaves makes room', async () => {
  const service = await stage.start({ maxWatchers: 1 });
  const orderId = await held('ann');
  const leaving = new AbortController();
  const first = watch(service, orderId, 'ann', leaving.signal);
  await until(() => first.states.length === 1);
  assert.is(await watch(service, orderId).ended, 'BUSY');
  leaving.abort();
  assert.is(await first.ended, 'CANCELLED');
  const second = await until(async () => {
    const watcher = watch(service, orderId);
    const busy = await Promise.race([watcher.ended, until(() => watcher.states.length === 1)]);
    return busy === 'BUSY' ? undefined : watcher;
  });
  assert.equal(second.states, [ORDER_STATE_HELD]);
  await service.stop();
});

test('a process that closes sends its watchers elsewhere', async () => {
  const service = await stage.start();
  const watcher = watch(service, await held('ann'));
  await until(() => watcher.states.length === 1);
  const stopped = service.stop();
  assert.is(await watcher.ended, 'UNAVAILABLE');
  await stopped;
});

test('an order that nobody has yet cannot be watched', async () => {
  const service = await stage.start();
  const { skuId } = await stage.ledger.sku();
  const fault = await rejectionOf(
    service.client.getOrder({ orderId: claimOf('ann', skuId).orderId, userId: 'ann' }),
    Fault,
  );
  assert.is(fault.reason, 'ORDER_NOT_FOUND');
  await service.stop();
});

test.run();
