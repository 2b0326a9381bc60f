import { randomUUID } from 'node:crypto';
import { assert, suite } from '#libs/testing/suite.js';
import { bearerOf } from '#libs/testing/test-issuer.js';
import { until } from '#libs/testing/until.js';
import { startTestMesh, type TestMesh } from './test-mesh.js';

const test = suite('a payment, from the button to the order');
let mesh: TestMesh;

test.before(async () => {
  mesh = await startTestMesh({ scheduler: true, sandbox: true });
});
test.after(async () => {
  const violations = await mesh.ledger.violations();
  await mesh.close();
  assert.equal(violations, []);
});

const price = 4_200;

interface Ordered {
  orderId: string;
  skuId: string;
  /** What apps ask in the name of the buyer, each under a key of its own. */
  post(path: string, body?: object): Promise<Record<string, unknown>>;
  state(): Promise<unknown>;
}

async function reserved(sku: Parameters<TestMesh['ledger']['sku']>[0] = {}): Promise<Ordered> {
  const { skuId } = await mesh.ledger.sku({ priceMinor: price, capacity: 1, ...sku });
  return reservedOf(skuId);
}

/** Insists: the streams of a mesh that has just started are opened by the first orders. */
async function reservedOf(skuId: string): Promise<Ordered> {
  const user = `user-${randomUUID()}`;
  const ask = async (path: string, body: object, key: string): Promise<Record<string, unknown>> => {
    const headers = { 'content-type': 'application/json', authorization: bearerOf(user), 'idempotency-key': key };
    const response = await fetch(`${mesh.http}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    return { status: response.status, ...((await response.json()) as object) };
  };
  const key = randomUUID();
  const wish = { store_id: 'store-1', lines: [{ sku_id: skuId, quantity: 1 }] };
  const order = await until(async () => {
    const answer = await ask('/v1/orders', wish, key);
    return answer.status === 201 && answer;
  });
  const orderId = String((order as Record<string, unknown>).order_id);
  return {
    orderId,
    skuId,
    post: (path, body = {}) => ask(`/v1/orders/${orderId}${path}`, body, randomUUID()),
    async state() {
      const response = await fetch(`${mesh.http}/v1/orders/${orderId}`, { headers: { authorization: bearerOf(user) } });
      return ((await response.json()) as { state: unknown }).state;
    },
  };
}

/** Asks how to pay and presses the button. */
async function pays({ post }: Ordered, press: object = {}): Promise<Response> {
  const { url } = await post('/payment');
  return pressAt(String(url), press);
}

function pressAt(url: string, press: object): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return fetch(`${url}/press`, { method: 'POST', headers, body: JSON.stringify(press) });
}

function becomes(order: Ordered, state: string): Promise<unknown> {
  let last: unknown;
  const describe = (): string => `order ${order.orderId} is ${last}, not ${state}`;
  return until(
    async () => {
      last = await order.state();
      return last === state;
    },
    { timeoutMs: 30_000, describe },
  );
}

interface PaymentSeen {
  state: string;
  issue: string | null;
  refunds: number;
}

function payments(orderId: string): Promise<PaymentSeen[]> {
  return mesh.ledger.sql<PaymentSeen>(
    `SELECT p.state, p.issue, (SELECT count(*)::int FROM ledger.refunds AS r WHERE r.order_id = p.order_id) AS refunds
     FROM ledger.payments AS p WHERE p.order_id = $1 AND p.state <> 'FAILED' ORDER BY p.number`,
    [orderId],
  );
}

async function goesBack(order: Ordered, issue: string | null): Promise<void> {
  let seen: PaymentSeen[] = [];
  await until(
    async () => {
      seen = await payments(order.orderId);
      return seen.at(-1)?.state === 'REFUNDED';
    },
    { timeoutMs: 30_000, describe: () => JSON.stringify(seen) },
  );
  assert.equal(seen.at(-1), { state: 'REFUNDED', issue, refunds: 1 });
}

test('a reserved order that is paid is CONFIRMED, has a code, and keeps its unit', async () => {
  const order = await reserved();
  const first = await order.post('/payment');
  const again = await order.post('/payment');
  assert.is(first.status, 200);
  assert.equal(again, first);
  assert.is((await pressAt(String(first.url), {})).status, 200);
  await becomes(order, 'CONFIRMED');
  assert.equal(await payments(order.orderId), [{ state: 'CAPTURED', issue: null, refunds: 0 }]);
  const { sold } = await mesh.ledger.stock(order.skuId);
  assert.is(sold, 1);
});

test('I08: a notice that comes twice pays once', async () => {
  const order = await reserved();
  await pays(order, { notice: { times: 3 } });
  await becomes(order, 'CONFIRMED');
  assert.equal(await payments(order.orderId), [{ state: 'CAPTURED', issue: null, refunds: 0 }]);
});

test('I05: a failure that is told after the capture undoes nothing', async () => {
  const order = await reserved();
  await pays(order, { notice: { failed_before: true } });
  await becomes(order, 'CONFIRMED');
  const failed = `SELECT count(*)::int AS n FROM ledger.payments WHERE order_id = $1 AND state = 'FAILED'`;
  await until(async () => (await mesh.ledger.sql<{ n: number }>(failed, [order.orderId]))[0]?.n === 1);
  assert.is(await order.state(), 'CONFIRMED');
});

test('I01: money that comes after the end takes the unit anew when it is free', async () => {
  const order = await reserved();
  const { url } = await order.post('/payment');
  await mesh.ledger.expire(order.orderId);
  await becomes(order, 'EXPIRED');
  await pressAt(String(url), { even_if_ended: true });
  await becomes(order, 'CONFIRMED');
  const { sold, free } = await mesh.ledger.stock(order.skuId);
  assert.equal([sold, free], [1, 0]);
});

test('A03 I01: late money for a unit that somebody else has goes back once', async () => {
  const late = await reserved();
  const { url } = await late.post('/payment');
  await mesh.ledger.expire(late.orderId);
  await becomes(late, 'EXPIRED');
  const other = await reservedOf(late.skuId);
  await pays(other);
  await becomes(other, 'CONFIRMED');
  await pressAt(String(url), { even_if_ended: true });
  await goesBack(late, 'LATE');
  assert.is(await late.state(), 'EXPIRED');
  assert.is(await other.state(), 'CONFIRMED');
});

test('I02: the end of a hold ends its session at the provider', async () => {
  const order = await reserved();
  const { url } = await order.post('/payment');
  await order.post(':cancel');
  const ended = async (): Promise<boolean> => (await (await fetch(String(url))).text()).includes('It has ended');
  await until(ended, { timeoutMs: 30_000 });
  assert.is((await pressAt(String(url), {})).status, 409);
});

test('money of another amount goes back, and the order stays payable', async () => {
  const order = await reserved();
  await pays(order, { amount_minor: price - 1 });
  await goesBack(order, 'WRONG_AMOUNT');
  assert.is(await order.state(), 'HELD');
});

test('money of which nobody ever tells confirms nothing, and the hold ends', async () => {
  const order = await reserved();
  await pays(order, { notice: { times: 0 } });
  await mesh.ledger.expire(order.orderId);
  await becomes(order, 'EXPIRED');
  assert.equal(await payments(order.orderId), []);
});

test('a paid order that is cancelled gives its unit back, and its money', async () => {
  const order = await reserved();
  await pays(order);
  await becomes(order, 'CONFIRMED');
  assert.is((await order.post(':cancel', { reason: 'ill' })).state, 'CANCELLED');
  await goesBack(order, null);
  const { free } = await mesh.ledger.stock(order.skuId);
  assert.is(free, 1);
});

test.run();
