import { randomBytes, randomUUID } from 'node:crypto';
import { Lifecycle } from '#libs/runtime/lifecycle.js';
import { createLogger } from '#libs/runtime/logger.js';
import { assert, suite } from '#libs/testing/suite.js';
import { bearerOf, testIdentity } from '#libs/testing/test-issuer.js';
import { signWebhook, type WebhookHeaders } from '#libs/webhook/signature.js';
import { readConfig } from '../services/bff/src/config.js';
import { startBff } from '../services/bff/src/service.js';
import { askHttp, assertSaid, type EdgeSaid, type Header, unitsOf } from './edge-calls.js';
import { onSale, somebody } from './on-sale.js';
import { pressHttp } from './press.js';
import { startTestMesh, type TestMesh } from './test-mesh.js';

const test = suite('bad input: notices of payments');
const priceMinor = 1_500;
const old = newSecret();
const next = newSecret();
const anyAddress = '127.0.0.1:0';

let mesh: TestMesh;
/** Edges before, during and after the old secret is replaced. */
let edges: { before: string; during: string; after: string };
const life = new Lifecycle(createLogger('edges', 'silent'));

test.before(async () => {
  mesh = await startTestMesh({ bffEnv: { PAYMENT_NOTICE_SECRETS: `sandbox=${old}` } });
  const during = await edgeWith(`sandbox=${old},sandbox=${next}`);
  edges = { before: mesh.http, during, after: await edgeWith(`sandbox=${next}`) };
});
test.after(async () => {
  await life.close();
  const violations = await mesh.ledger.violations();
  await mesh.close();
  assert.equal(violations, []);
});

function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

async function edgeWith(secrets: string): Promise<string> {
  const addresses = {
    HTTP_ADDRESS: anyAddress,
    ADMIN_ADDRESS: anyAddress,
    GATEWAY_TARGET: mesh.gatewayAddresses.join(),
  };
  const env = { ...testIdentity(), ...addresses, PAYMENT_NOTICE_SECRETS: secrets };
  return (await startBff(readConfig(env), life)).httpAddress;
}

/** An order that is to be paid. */
async function held(): Promise<string> {
  const sku = await onSale(mesh, { perSecond: 1_000, burst: 1_000 }, { priceMinor });
  const { status, body } = await pressHttp(mesh.http, somebody(sku));
  assert.is(status, 201);
  return String(body.order_id);
}

function capturedOf(orderId: string, more: object = {}): string {
  const data = { order_id: orderId, provider_payment_id: `pay-${orderId}`, amount_minor: priceMinor, currency: 'EUR' };
  return JSON.stringify({ type: 'payment.captured', timestamp: new Date().toISOString(), data: { ...data, ...more } });
}

interface Sent {
  id?: string;
  minutesAgo?: number;
  /** What stands in the place of what was signed. */
  instead?: Partial<WebhookHeaders> & { body?: string; provider?: string };
}

function notify(http: string, secret: string, body: string, { id, minutesAgo = 0, instead = {} }: Sent = {}) {
  const at = new Date(Date.now() - minutesAgo * 60_000);
  const { provider = 'sandbox', body: other = body, ...headers } = instead;
  const signed = { ...signWebhook(secret, { id: id ?? randomUUID(), at, body }), ...headers };
  const all: Header[] = [['content-type', 'application/json'], ...Object.entries(signed)];
  return askHttp(http, { method: 'POST', path: `/v1/payments/notices/${provider}`, headers: all, body: other });
}

function assertNotBelieved(said: EdgeSaid, why: string): void {
  assertSaid(said, [401, 'NOTICE_NOT_BELIEVED'], why);
  assert.is(said.facts.why, why);
}

/** How often the order was paid. */
async function payments(orderId: string): Promise<number> {
  const text = "SELECT count(*)::int AS n FROM ledger.payments WHERE order_id = $1 AND state = 'CAPTURED'";
  return (await mesh.ledger.sql<{ n: number }>(text, [orderId]))[0]?.n ?? 0;
}

test('a notice that is old, early, unsigned, of another secret or changed since is 401, and nothing is paid', async () => {
  const orderId = await held();
  const body = capturedOf(orderId);
  const before = await unitsOf(mesh.ledger.sql);
  const cases: [sent: Sent, why: string, secret?: string][] = [
    [{ minutesAgo: 60 }, 'TIMESTAMP_FAR'],
    [{ minutesAgo: 6 }, 'TIMESTAMP_FAR'],
    [{ minutesAgo: -60 }, 'TIMESTAMP_FAR'],
    [{ minutesAgo: 60, instead: { 'webhook-timestamp': String(Math.floor(Date.now() / 1_000)) } }, 'SIGNATURE_WRONG'],
    [{}, 'SIGNATURE_WRONG', newSecret()],
    [{ instead: { body: capturedOf(orderId, { amount_minor: 1 }) } }, 'SIGNATURE_WRONG'],
    [{ instead: { 'webhook-id': 'another' } }, 'SIGNATURE_WRONG'],
    [{ instead: { 'webhook-signature': '' } }, 'UNSIGNED'],
    [{ instead: { 'webhook-signature': 'v1,' } }, 'SIGNATURE_WRONG'],
    [{ instead: { 'webhook-signature': 'v1a,AAAA' } }, 'UNSIGNED'],
    [{ instead: { 'webhook-timestamp': 'now' } }, 'UNSIGNED'],
    [{ instead: { 'webhook-id': '' } }, 'UNSIGNED'],
  ];
  for (const [sent, why, secret = old] of cases) assertNotBelieved(await notify(edges.before, secret, body, sent), why);
  const elsewhere = await notify(edges.before, old, body, { instead: { provider: 'nobody' } });
  assertSaid(elsewhere, [404, 'RESOURCE_NOT_FOUND'], 'a provider that nobody knows');
  assert.equal([await payments(orderId), await unitsOf(mesh.ledger.sql)], [0, before]);
});

test('while a secret is replaced both are believed, and after it the old one is not', async () => {
  for (const [edge, secret] of [
    [edges.before, old],
    [edges.during, old],
    [edges.during, next],
    [edges.after, next],
  ] as const) {
    const orderId = await held();
    assertSaid(await notify(edge, secret, capturedOf(orderId)), [204, 'OK'], 'believed');
    assert.is(await payments(orderId), 1);
  }
  const orderId = await held();
  assertNotBelieved(await notify(edges.after, old, capturedOf(orderId)), 'SIGNATURE_WRONG');
  assertNotBelieved(await notify(edges.before, next, capturedOf(orderId)), 'SIGNATURE_WRONG');
  assert.is(await payments(orderId), 0);
});

test('a notice that is sent again, one after the other and at once, is answered the same and pays once', async () => {
  const orderId = await held();
  const body = capturedOf(orderId);
  const id = randomUUID();
  assertSaid(await notify(edges.before, old, body, { id }), [204, 'OK'], 'first');
  const after = await unitsOf(mesh.ledger.sql);
  assertSaid(await notify(edges.during, old, body, { id }), [204, 'OK'], 'again');
  assertSaid(await notify(edges.after, next, body), [204, 'OK'], 'under another id');
  const many = await Promise.all(Array.from({ length: 20 }, () => notify(edges.during, next, body)));
  for (const said of many) assertSaid(said, [204, 'OK'], 'at once');
  const changed = await notify(edges.before, old, capturedOf(orderId, { provider_payment_id: 'another' }), { id });
  assertSaid(changed, [422, 'REQUEST_ID_REUSED'], 'the same id with something else in it');
  assert.equal([await payments(orderId), await unitsOf(mesh.ledger.sql)], [1, after]);
});

test('what is signed and is no notice is 400, and money for what is not there moves no unit', async () => {
  const orderId = await held();
  const before = await unitsOf(mesh.ledger.sql);
  for (const body of [
    '',
    '{',
    '[]',
    'null',
    '{"type":"payment.captured"}',
    capturedOf(orderId, { amount_minor: '1' }),
  ]) {
    assertSaid(await notify(edges.before, old, body), [400, 'INVALID_REQUEST'], body);
  }
  for (const id of ['../../x', 'a b', 'x'.repeat(300)]) {
    const said = await notify(edges.before, old, capturedOf(id));
    assert.ok(Number(said.code) < 500, `${id} ${JSON.stringify(said)}`);
  }
  assert.equal([await payments(orderId), await unitsOf(mesh.ledger.sql)], [0, before]);
});

test('nobody but a service confirms a payment: what a user posts in its place is 401', async () => {
  const headers: Header[] = [
    ['authorization', bearerOf('eve')],
    ['content-type', 'application/json'],
  ];
  const body = capturedOf(await held());
  const said = await askHttp(mesh.http, { method: 'POST', path: '/v1/payments/notices/sandbox', headers, body });
  assertNotBelieved(said, 'UNSIGNED');
});

test.run();
