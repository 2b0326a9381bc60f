import { Fault } from '#libs/refusal/fault.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { httpPaymentProvider } from '../../services/order/src/adapters/payment-provider.js';
import { KEY, type SandboxUnderTest, startSandboxUnderTest } from './test-sandbox.js';

const test = suite('the provider of the order service, on the sandbox');
let sandbox: SandboxUnderTest;
let slow: SandboxUnderTest;

test.before(async () => {
  [sandbox, slow] = await Promise.all([startSandboxUnderTest(), startSandboxUnderTest({ THINK_MS: '3000' })]);
});
test.after(async () => {
  await Promise.all([sandbox.close(), slow.close()]);
});

function providerAt(url: string, { key = KEY, deadlineMs = 30_000 } = {}) {
  return httpPaymentProvider({ name: 'sandbox', url, key, deadlineMs });
}

const wanted = (orderId: string, endsAt = new Date(Date.now() + 60_000)) => {
  return { orderId, attempt: 1, amountMinor: 100, currency: 'EUR', endsAt };
};

test('opens a session once for each attempt, and ends it', async () => {
  const provider = providerAt(sandbox.url);
  const session = await provider.createSession(wanted('a'));
  assert.equal(await provider.createSession(wanted('a')), session);
  assert.is(session.url, `${sandbox.url}/checkout/${session.sessionId}`);
  assert.equal(session.parameters, { client_token: session.sessionId });
  await provider.endSession(session.sessionId);
  await provider.endSession(session.sessionId);
  assert.is((await sandbox.post(`/checkout/${session.sessionId}/press`, {})).status, 409);
});

test('gives money back', async () => {
  const refund = { orderId: 'b', number: 1, providerPaymentId: 'p', amountMinor: 5, currency: 'EUR', reason: 'LATE' };
  const provider = providerAt(sandbox.url);
  await provider.refund(refund);
  await provider.refund(refund);
  await until(() => sandbox.seen.filter(({ data }) => data.order_id === 'b').length === 1);
});

test('does not know the outcome when the deadline passes or nobody is there', async () => {
  const late = await rejectionOf(providerAt(slow.url, { deadlineMs: 50 }).createSession(wanted('c')), Fault);
  assert.is(late.reason, 'UNAVAILABLE');
  const nobody = await rejectionOf(providerAt('http://127.0.0.1:1').endSession('c'), Fault);
  assert.is(nobody.reason, 'UNAVAILABLE');
});

test('tells nothing of what is behind a no', async () => {
  const fault = await rejectionOf(providerAt(sandbox.url, { key: 'wrong' }).createSession(wanted('d')), Fault);
  assert.is(fault.reason, 'INTERNAL');
  assert.not.match(fault.message, 'key');
  assert.match(String((fault.cause as Error).message), '401');
});

test.run();
