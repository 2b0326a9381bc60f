import { randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { WebhookServiceDefinition } from '#libs/contracts/gen/holdfast/webhook/v1/webhook_service.js';
import { orderId } from '#libs/contracts/order-id.js';
import { claimOf } from '#libs/ledger/test-ledger.js';
import { type Client, connect } from '#libs/rpc/client.js';
import { assert, suite } from '#libs/testing/suite.js';
import { bearerOf } from '#libs/testing/test-issuer.js';
import { until } from '#libs/testing/until.js';
import { type Received, type Receiver, startReceiver } from '../services/webhook/test/receiver.js';
import { startTestMesh, type TestMesh } from './test-mesh.js';
import { Victim } from './victim.js';

const test = suite('webhooks of a whole mesh');
const olga = { metadata: { 'holdfast-actor': 'olga', 'holdfast-actor-role': 'operator' } };
let mesh: TestMesh;
let webhooks: Victim;
let client: Client<WebhookServiceDefinition>;
let receiver: Receiver;

test.before.each(async () => {
  mesh = await startTestMesh();
  receiver = await startReceiver();
  const { ledger, nats } = mesh;
  const env = { WEBHOOK_ALLOW_PRIVATE: 'true', NATS_URL: nats.url };
  webhooks = await Victim.start('webhook', { postgres: ledger.url }, env);
  client = connect(WebhookServiceDefinition, webhooks.address, { defaultDeadlineMs: 10_000 });
});
test.after.each(async () => {
  client.close();
  await webhooks.close();
  await receiver.close();
  await mesh.close();
});

async function secretOf(): Promise<string> {
  const endpoint = { storeId: 'store-1', endpointId: '', url: receiver.url, eventTypes: [], requestId: randomUUID() };
  return (await client.putWebhookEndpoint(endpoint, olga)).secret;
}

test('an order that is placed over HTTP and confirmed is told to its store, in order and signed', async () => {
  const secret = await secretOf();
  const { skuId } = await mesh.ledger.sku({ paymentRequired: true });
  const [user, key] = [`user-${randomUUID()}`, randomUUID()];
  await until(async () => {
    const response = await fetch(`${mesh.http}/v1/orders`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: bearerOf(user), 'idempotency-key': key },
      body: JSON.stringify({ store_id: 'store-1', lines: [{ sku_id: skuId, quantity: 1 }] }),
    });
    return response.status === 201;
  });
  const placed = orderId('store-1', user, key);
  await mesh.ledger.ledger.paymentConfirm({
    ...{ orderId: placed, provider: 'bank', providerPaymentId: randomUUID(), amountMinor: 1_500, currency: 'EUR' },
  });
  await until(() => receiver.received.length === 2, { timeoutMs: 30_000 });
  const told = receiver.received.map(
    ({ body, headers }) => new Webhook(secret).verify(body, headers) as { type: string; data: { order_id: string } },
  );
  assert.equal(
    told.map(({ type, data }) => [type, data.order_id]),
    [
      ['order.held', placed],
      ['order.confirmed', placed],
    ],
  );
});

test('killed between the request and the note of its outcome, it sends the same again under the same id', async () => {
  const secret = await secretOf();
  receiver.answer = () => undefined;
  const { skuId } = await mesh.ledger.sku();
  await mesh.ledger.order(claimOf('ann', skuId));
  const first: Received = await until(() => receiver.received[0], { timeoutMs: 30_000 });
  await webhooks.kill();
  receiver.answer = 204;
  await mesh.ledger.sql(`UPDATE ledger.webhook_endpoints SET leased_until = now() WHERE leased_until > now()`);
  await webhooks.restart();
  const second: Received = await until(() => receiver.received[1], { timeoutMs: 30_000 });
  assert.equal([second.id, second.body], [first.id, first.body]);
  new Webhook(secret).verify(second.body, second.headers);
  await until(async () => {
    const rows = await mesh.ledger.sql<{ state: string }>('SELECT state FROM ledger.webhook_deliveries');
    return rows.length === 1 && rows[0]?.state === 'DELIVERED';
  });
});

test.run();
