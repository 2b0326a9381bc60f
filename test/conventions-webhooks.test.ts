import { randomBytes, randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { WebhookServiceDefinition } from '#libs/contracts/gen/holdfast/webhook/v1/webhook_service.js';
import { type Client, connect } from '#libs/rpc/client.js';
import { assert, suite } from '#libs/testing/suite.js';
import { bearerOf } from '#libs/testing/test-issuer.js';
import { until } from '#libs/testing/until.js';
import { type Received, type Receiver, startReceiver } from '../services/webhook/test/receiver.js';
import { onSale, somebody } from './on-sale.js';
import { pressHttp } from './press.js';
import { startTestMesh, type TestMesh } from './test-mesh.js';

const test = suite('conventions: webhooks');
const generous = { perSecond: 1_000, burst: 1_000 };
const priceMinor = 1_500;
const [oldSecret, newSecret] = [randomBytes(32), randomBytes(32)].map((bytes) => `whsec_${bytes.toString('base64')}`);
const operator = { metadata: { authorization: bearerOf('olga', { role: 'OPERATOR' }) } };

let mesh: TestMesh;
let receiver: Receiver;
let client: Client<typeof WebhookServiceDefinition>;
let endpointId: string;
let secret: string;

test.before(async () => {
  const secrets = `provider=${oldSecret},provider=${newSecret}`;
  mesh = await startTestMesh({ webhook: true, bffEnv: { PAYMENT_NOTICE_SECRETS: secrets } });
  receiver = await startReceiver();
  client = connect(WebhookServiceDefinition, mesh.gatewayAddresses[0] ?? '', { defaultDeadlineMs: 10_000 });
  const wish = { storeId: 'store-1', endpointId: '', url: receiver.url, eventTypes: [], requestId: randomUUID() };
  const added = await client.putWebhookEndpoint(wish, operator);
  endpointId = added.endpoint?.endpointId ?? '';
  secret = added.secret;
});
test.after(async () => {
  client.close();
  await receiver.close();
  await mesh.close();
});

async function place(): Promise<string> {
  const sku = await onSale(mesh, generous, { priceMinor });
  return String((await pressHttp(mesh.http, somebody(sku))).body.order_id);
}

/** The webhook that tells of a new order. */
async function told(): Promise<Received> {
  const orderId = await place();
  return until(() => receiver.received.find(({ body }) => body.includes(orderId)));
}

/** What a library of others reads from it; throws when it does not believe it. */
function verified(key: string, { body, headers }: Received): unknown {
  return new Webhook(key).verify(body, headers);
}

test('out: webhook-id, webhook-timestamp and webhook-signature are those of Standard Webhooks 1.0', async () => {
  const webhook = await told();
  const { 'webhook-timestamp': seconds = '', 'webhook-signature': signature = '' } = webhook.headers;
  assert.match(webhook.id, /^[^.\s]+$/);
  assert.ok(Math.abs(Date.now() / 1_000 - Number(seconds)) < 60, seconds);
  assert.match(signature, /^v1,[A-Za-z0-9+/]{43}=$/);
  assert.is((verified(secret, webhook) as { type: string }).type, 'order.held');
  assert.throws(() => verified(secret, { ...webhook, body: `${webhook.body} ` }));
  const old = { ...webhook.headers, 'webhook-timestamp': String(Number(seconds) - 301) };
  assert.throws(() => verified(secret, { ...webhook, headers: old }));
});

test('out: while a secret is replaced a webhook is signed with both', async () => {
  const rotated = await client.rotateWebhookSecret({ endpointId, requestId: randomUUID() }, operator);
  const webhook = await told();
  assert.is(webhook.headers['webhook-signature']?.split(' ').length, 2);
  for (const key of [secret, rotated.secret]) verified(key, webhook);
});

/** Sends a notice of a payment as a provider does that has the library of others. */
async function notify(key: string, { secondsAgo = 0, changed = '' } = {}): Promise<{ status: number; why: unknown }> {
  const data = {
    order_id: await place(),
    provider_payment_id: randomUUID(),
    amount_minor: priceMinor,
    currency: 'EUR',
  };
  const body = JSON.stringify({ type: 'payment.captured', timestamp: new Date().toISOString(), data });
  const [id, at] = [randomUUID(), new Date(Date.now() - secondsAgo * 1_000)];
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(key).sign(id, at, body),
  };
  const init = { method: 'POST', headers, body: body + changed };
  const response = await fetch(`${mesh.http}/v1/payments/notices/provider`, init);
  const text = await response.text();
  return { status: response.status, why: text === '' ? undefined : JSON.parse(text).why };
}

test('in: a notice that another library signed is believed within five minutes, before and after', async () => {
  for (const secondsAgo of [0, 290, -290]) {
    assert.is((await notify(oldSecret ?? '', { secondsAgo })).status, 204, `${secondsAgo}`);
  }
  for (const secondsAgo of [310, -310]) {
    assert.equal(await notify(oldSecret ?? '', { secondsAgo }), { status: 401, why: 'TIMESTAMP_FAR' });
  }
  assert.equal(await notify(oldSecret ?? '', { changed: ' ' }), { status: 401, why: 'SIGNATURE_WRONG' });
});

test('in: while a secret is replaced either is believed', async () => {
  for (const key of [oldSecret, newSecret]) assert.is((await notify(key ?? '')).status, 204);
  const stranger = `whsec_${randomBytes(32).toString('base64')}`;
  assert.equal(await notify(stranger), { status: 401, why: 'SIGNATURE_WRONG' });
});

test.run();
