import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { type SandboxUnderTest, startSandboxUnderTest } from './test-sandbox.js';

const test = suite('sandbox');
let sandbox: SandboxUnderTest;
let orders = 0;

test.before(async () => {
  sandbox = await startSandboxUnderTest();
});
test.after(() => sandbox.close());

interface Opened {
  orderId: string;
  sessionId: string;
  /** Presses the button of its page. */
  press(body?: object): Promise<{ status: number; body: Record<string, unknown> }>;
}

async function opened(endsInMs = 60_000): Promise<Opened> {
  orders += 1;
  const orderId = `order-${orders}`;
  const { body } = await sandbox.post('/v1/sessions', sessionOf(orderId, endsInMs));
  const sessionId = String(body.session_id);
  return { orderId, sessionId, press: (press = {}) => sandbox.post(`/checkout/${sessionId}/press`, press, '') };
}

function sessionOf(orderId: string, endsInMs = 60_000, amountMinor = 4200) {
  const endsAt = new Date(Date.now() + endsInMs).toISOString();
  return { order_id: orderId, attempt: 1, amount_minor: amountMinor, currency: 'EUR', ends_at: endsAt };
}

function noticesOf(orderId: string) {
  return sandbox.seen.filter(({ data }) => data.order_id === orderId);
}

/** What is told of an order, once there are so many notices. */
async function toldOf(orderId: string, count: number) {
  await until(() => noticesOf(orderId).length === count);
  return noticesOf(orderId);
}

test('gives the same session for the same attempt, and none for another amount or without the key', async () => {
  const first = await sandbox.post('/v1/sessions', sessionOf('same'));
  const again = await sandbox.post('/v1/sessions', sessionOf('same'));
  assert.is(again.body.session_id, first.body.session_id);
  assert.is((await sandbox.post('/v1/sessions', sessionOf('same', 60_000, 1))).status, 409);
  assert.is((await sandbox.post('/v1/sessions', sessionOf('other'), 'wrong')).status, 401);
});

test('sends customers to where they reach it', async () => {
  const behind = await startSandboxUnderTest({ CHECKOUT_URL: 'http://127.0.0.1:8090' });
  const { body } = await behind.post('/v1/sessions', sessionOf('behind'));
  await behind.close();
  assert.is(body.url, `http://127.0.0.1:8090/checkout/${body.session_id}`);
});

test('tells of a payment, signed, until it is taken', async () => {
  const { orderId, press } = await opened();
  sandbox.turnAway(2);
  const { body } = await press();
  const [first, , last] = await toldOf(orderId, 3);
  assert.is(first?.type, 'payment.captured');
  assert.equal(last, first);
  assert.is(first?.data.provider_payment_id, body.provider_payment_id);
  assert.is(first?.data.amount_minor, 4200);
});

test('shows a page whose button pays', async () => {
  const { orderId, sessionId } = await opened();
  const page = await fetch(`${sandbox.url}/checkout/${sessionId}`);
  assert.match(await page.text(), `action="/checkout/${sessionId}/press"`);
  const form = { method: 'POST', body: new URLSearchParams() };
  assert.is((await fetch(`${sandbox.url}/checkout/${sessionId}/press`, form)).status, 200);
  await until(() => noticesOf(orderId).length === 1);
});

test('tells twice, of another amount, late, never and out of order when it is asked to', async () => {
  const twice = await opened();
  await twice.press({ notice: { times: 2 } });
  const wrong = await opened();
  await wrong.press({ amount_minor: 1 });
  const never = await opened();
  await never.press({ notice: { times: 0 } });
  const late = await opened();
  await late.press({ notice: { delay_ms: 200 } });
  const swapped = await opened();
  await swapped.press({ notice: { failed_before: true } });
  const [first, second] = await toldOf(twice.orderId, 2);
  assert.is(first?.id, second?.id);
  const [other] = await toldOf(wrong.orderId, 1);
  assert.is(other?.data.amount_minor, 1);
  await until(() => noticesOf(late.orderId).length === 1);
  await until(() => noticesOf(swapped.orderId).length === 2);
  const types = noticesOf(swapped.orderId).map(({ type }) => type);
  assert.equal(types, ['payment.captured', 'payment.failed']);
  assert.is(noticesOf(never.orderId).length, 0);
});

test('takes no money by a session that ended or has paid, unless it is told to misbehave', async () => {
  const ended = await opened();
  await sandbox.post(`/v1/sessions/${ended.sessionId}/end`, {});
  assert.is((await ended.press()).status, 409);
  assert.is((await ended.press({ even_if_ended: true })).status, 200);
  assert.is((await (await opened(-1)).press()).status, 409);
  const paid = await opened();
  await paid.press();
  assert.is((await paid.press()).status, 409);
  assert.is((await sandbox.post('/v1/sessions/unknown/end', {})).status, 200);
});

test('gives money back once for each refund, and tells so', async () => {
  const { orderId, press } = await opened();
  const { body } = await press();
  const payment = { provider_payment_id: body.provider_payment_id, amount_minor: 4200, currency: 'EUR' };
  const first = await sandbox.post('/v1/refunds', { order_id: orderId, number: 1, ...payment });
  const again = await sandbox.post('/v1/refunds', { order_id: orderId, number: 1, ...payment });
  assert.equal(again.body, first.body);
  const told = (await toldOf(orderId, 2)).find(({ type }) => type === 'refund.succeeded');
  assert.is(told?.data.refund_id, first.body.refund_id);
});

test.run();
