import { randomUUID } from 'node:crypto';
import { OrderState, PaymentState } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import { PaymentIssue, PaymentSessionState } from '#libs/contracts/gen/holdfast/order/v1/payment.js';
import { orderId as orderIdOf } from '#libs/contracts/order-id.js';
import { claimOf } from '#libs/ledger/test-ledger.js';
import { Fault } from '#libs/refusal/fault.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { type StandInProvider, startStandInProvider } from './stand-in-provider.js';
import { type RunningOrder, Stage } from './test-stage.js';

const test = suite('payments');
let stage: Stage;
let provider: StandInProvider;
let order: RunningOrder;

test.before(async () => {
  [stage, provider] = await Promise.all([Stage.open(), startStandInProvider()]);
  order = await stage.start({ paymentProviderUrl: provider.url, paymentProvider: 'sandbox' });
});
test.before.each(() => provider.reset());
test.after(async () => {
  provider.answers();
  await stage.close();
  await provider.close();
});

/** A HELD order of one unit, and who asked for it. */
async function held({ ttlSeconds = 900 } = {}): Promise<{ orderId: string; userId: string; amountMinor: number }> {
  const sku = await stage.ledger.sku({ holdTtlSeconds: ttlSeconds, priceMinor: 4_200 });
  const claim = claimOf(`u-${key()}`, sku.skuId);
  await stage.ledger.admit(claim);
  return { orderId: claim.orderId, userId: claim.userId, amountMinor: 4_200 };
}

const key = (): string => randomUUID();

function captured(orderId: string, parts: { amountMinor?: number; providerPaymentId?: string } = {}) {
  const payment = { provider: 'sandbox', providerPaymentId: key(), amountMinor: 4_200, currency: 'EUR' };
  return { ...payment, ...parts, orderId, requestId: key() };
}

test('StartPayment gives the open session, the same one to a second call', async () => {
  const { orderId, userId } = await held();
  const { session } = await order.client.startPayment({ orderId, userId, requestId: key() });
  const again = await order.client.startPayment({ orderId, userId, requestId: key() });
  assert.equal(again.session, session);
  assert.is(session?.state, PaymentSessionState.PAYMENT_SESSION_STATE_OPEN);
  assert.is(session?.url, `${provider.url}/pay/cs-${orderId}.1`);
  assert.is(session?.amountMinor, 4_200);
  const { expiresAt } = (await order.client.getOrder({ orderId, userId })).order ?? {};
  assert.equal(session?.endsAt, expiresAt);
  assert.equal(provider.keys('/v1/sessions'), [`${orderId}.1`]);
});

test('many calls at once open one session', async () => {
  const { orderId, userId } = await held();
  const calls = Array.from({ length: 8 }, () => order.client.startPayment({ orderId, userId, requestId: key() }));
  const sessions = await Promise.all(calls);
  assert.is(new Set(sessions.map(({ session }) => session?.sessionId)).size, 1);
  assert.is(new Set(provider.keys('/v1/sessions')).size, 1);
});

test('a provider that failed is asked again under the same key', async () => {
  const { orderId, userId } = await held();
  provider.fails(503);
  const away = await rejectionOf(order.client.startPayment({ orderId, userId, requestId: key() }), Fault);
  assert.is(away.reason, 'UNAVAILABLE');
  provider.answers();
  const { session } = await order.client.startPayment({ orderId, userId, requestId: key() });
  assert.is(session?.attempt, 1);
  // Whoever is told UNAVAILABLE asks again by itself, too.
  assert.equal([...new Set(provider.keys('/v1/sessions'))], [`${orderId}.1`]);
});

test('K05: while the provider takes its time no transaction is open and nobody waits for a connection', async () => {
  const few = await stage.start({
    paymentProviderUrl: provider.url,
    postgresConnections: 2,
    paymentDeadlineMs: 30_000,
  });
  provider.hangs();
  const orders = await Promise.all(Array.from({ length: 10 }, () => held()));
  const paying = orders.map(({ orderId, userId }) => few.client.startPayment({ orderId, userId, requestId: key() }));
  await until(() => provider.keys('/v1/sessions').length === orders.length);
  const [open] = await stage.ledger.sql<{ n: number }>(
    `SELECT count(*)::int AS n FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid() AND state LIKE 'idle in transaction%'`,
  );
  assert.is(open?.n, 0);
  const other = await held();
  const { paymentState } = await few.client.confirmPayment(captured(other.orderId));
  assert.is(paymentState, PaymentState.PAYMENT_STATE_CAPTURED);
  provider.answers();
  const sessions = await Promise.all(paying);
  assert.is(new Set(sessions.map(({ session }) => session?.sessionId)).size, orders.length);
  await few.stop();
});

test('only the user of a HELD order is given a way to pay', async () => {
  const { orderId, userId } = await held();
  const start = (user: string) =>
    rejectionOf(order.client.startPayment({ orderId, userId: user, requestId: key() }), Fault);
  assert.is((await start('somebody')).reason, 'ORDER_NOT_FOUND');
  await order.client.cancelOrder({ orderId, userId, requestId: key(), reason: '' });
  assert.is((await start(userId)).reason, 'ORDER_STATE');
  assert.equal(provider.keys('/v1/sessions'), []);
});

test('without a provider nobody is given a way to pay', async () => {
  const alone = await stage.start();
  const { orderId, userId } = await held();
  const fault = await rejectionOf(alone.client.startPayment({ orderId, userId, requestId: key() }), Fault);
  assert.is(fault.reason, 'PAYMENTS_NOT_OFFERED');
  await alone.stop();
});

test('a failure leaves the hold, the next call opens another attempt, and money that came is not undone', async () => {
  const { orderId, userId } = await held();
  await order.client.startPayment({ orderId, userId, requestId: key() });
  const failure = { orderId, provider: 'sandbox', providerPaymentId: '', sessionId: '', attempt: 1, why: 'declined' };
  const failed = await order.client.failPayment({ ...failure, requestId: key() });
  assert.is(failed.order?.state, OrderState.ORDER_STATE_HELD);
  const { session } = await order.client.startPayment({ orderId, userId, requestId: key() });
  assert.is(session?.attempt, 2);
  const paid = await order.client.confirmPayment({ ...captured(orderId), attempt: 2 });
  assert.is(paid.order?.state, OrderState.ORDER_STATE_CONFIRMED);
  const late = await order.client.failPayment({ ...failure, attempt: 2, requestId: key() });
  assert.is(late.order?.state, OrderState.ORDER_STATE_CONFIRMED);
});

test('a hold that ended has its session ended at the provider', async () => {
  const { orderId, userId } = await held();
  const { session } = await order.client.startPayment({ orderId, userId, requestId: key() });
  await order.client.cancelOrder({ orderId, userId, requestId: key(), reason: '' });
  provider.fails(500);
  assert.is((await order.client.endPaymentSessions({ batchSize: 0 })).failed, 1);
  provider.answers();
  assert.is((await order.client.endPaymentSessions({ batchSize: 0 })).ended, 1);
  assert.equal(await order.client.endPaymentSessions({ batchSize: 0 }), { ended: 0, failed: 0 });
  const ended = provider.paths().filter((path) => path.endsWith('/end'));
  assert.equal(ended.at(-1), `/v1/sessions/${session?.sessionId}/end`);
});

test('the wrong amount goes back: the provider is asked once, and what it says is recorded', async () => {
  const { orderId } = await held();
  const payment = captured(orderId, { amountMinor: 4_199 });
  const { order: now, paymentState, issue } = await order.client.confirmPayment(payment);
  assert.is(now?.state, OrderState.ORDER_STATE_HELD);
  assert.is(paymentState, PaymentState.PAYMENT_STATE_REFUND_DUE);
  assert.is(issue, PaymentIssue.PAYMENT_ISSUE_WRONG_AMOUNT);
  const asked = await until(() => provider.keys('/v1/refunds').find((one) => one.startsWith(orderId)));
  assert.is(asked, `${orderId}.refund.1`);
  const { provider: name, providerPaymentId, currency } = payment;
  const refund = { orderId, provider: name, providerPaymentId, currency, refundId: key(), amountMinor: 4_199 };
  for (let told = 0; told < 2; told += 1) {
    const recorded = await order.client.recordRefund({ ...refund, requestId: key() });
    assert.is(recorded.payment?.state, PaymentState.PAYMENT_STATE_REFUNDED);
  }
  const unknown = await rejectionOf(
    order.client.recordRefund({ ...refund, providerPaymentId: 'none', refundId: key(), requestId: key() }),
    Fault,
  );
  assert.is(unknown.reason, 'PAYMENT_NOT_FOUND');
});

test('a refund that the provider did not take is asked for again under the same key', async () => {
  const { orderId } = await held();
  provider.fails(503);
  await order.client.confirmPayment(captured(orderId, { amountMinor: 1 }));
  await until(() => provider.keys('/v1/refunds').includes(`${orderId}.refund.1`));
  provider.answers();
  const asked = (): string[] => provider.keys('/v1/refunds').filter((one) => one.startsWith(orderId));
  await until(() => asked().length >= 2, { timeoutMs: 20_000 });
  assert.is(new Set(asked()).size, 1);
});

test('I07: money that comes before its order is parked, and pays the order when it is born', async () => {
  const sku = await stage.ledger.sku({ priceMinor: 4_200 });
  const claim = claimOf(`u-${key()}`, sku.skuId);
  const { order: none, paymentState, issue } = await order.client.confirmPayment(captured(claim.orderId));
  assert.is(none, undefined);
  assert.is(paymentState, PaymentState.PAYMENT_STATE_CAPTURED);
  assert.is(issue, PaymentIssue.PAYMENT_ISSUE_UNKNOWN_ORDER);
  await stage.ledger.admit(claim);
  await order.client.applyParkedPayments({ batchSize: 0 });
  const { order: paid } = await order.client.getOrder({ orderId: claim.orderId, userId: claim.userId });
  assert.is(paid?.state, OrderState.ORDER_STATE_CONFIRMED);
});

test('everything that is wrong with a request is named at once', async () => {
  const orderId = orderIdOf('store-1', 'ana', 'r');
  const fieldsOf = async (call: Promise<unknown>): Promise<string[]> =>
    (await rejectionOf(call, Fault)).violations.map(({ field }) => field);
  const failure = { orderId, provider: '', providerPaymentId: '', sessionId: '', attempt: 0, why: '\n', requestId: '' };
  assert.equal(await fieldsOf(order.client.failPayment(failure)), [
    ...['provider', 'provider_payment_id', 'why', 'request_id'],
  ]);
  const refund = { orderId, provider: '', providerPaymentId: '', refundId: '', amountMinor: 0, currency: 'eur' };
  assert.equal(await fieldsOf(order.client.recordRefund({ ...refund, requestId: '' })), [
    ...['provider', 'provider_payment_id', 'refund_id', 'amount_minor', 'currency', 'request_id'],
  ]);
  assert.equal(await fieldsOf(order.client.applyParkedPayments({ batchSize: -1 })), ['batch_size']);
});

test.run();
