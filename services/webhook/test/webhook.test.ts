import { randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import {
  WebhookDeliveryState,
  WebhookEndpointState,
  type WebhookServiceDefinition,
} from '#libs/contracts/gen/holdfast/webhook/v1/webhook_service.js';
import { Fault } from '#libs/refusal/fault.js';
import type { Client } from '#libs/rpc/client.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import type { Received } from './receiver.js';
import { olga, Stage } from './test-stage.js';

const test = suite('webhooks out');
let stage: Stage;
let client: Client<WebhookServiceDefinition>;

test.before.each(async () => {
  stage = await Stage.open();
  client = await stage.start();
});
test.after.each(() => stage.close());

const anyState = WebhookDeliveryState.WEBHOOK_DELIVERY_STATE_UNSPECIFIED;
const page = { pageSize: 0, pageToken: '' };
const list = async (endpointId: string, state = anyState) =>
  (await client.listWebhookDeliveries({ endpointId, state, since: undefined, ...page }, olga)).deliveries;
const endpointOf = async (endpointId: string) =>
  (await client.listWebhookEndpoints({ storeId: '', ...page }, olga)).endpoints.find(
    (one) => one.endpointId === endpointId,
  );
/** What an independent library reads from it; throws when it does not believe it. */
const verified = (secret: string, { body, headers }: Received) =>
  new Webhook(secret).verify(body, headers) as { type: string; data: Record<string, unknown> };

test('an event reaches the endpoint of its store, signed so that another library believes it', async () => {
  const { receiver, endpointId, secret } = await stage.receiver(client);
  const orderId = await stage.held('ann');
  const webhook = await until(() => receiver.received[0]);
  const { type, data } = verified(secret, webhook);
  assert.equal([type, data.order_id, data.user_id, data.amount_minor], ['order.held', orderId, 'ann', '1500']);
  assert.throws(() => verified(secret, { ...webhook, body: webhook.body.replace('ann', 'eve') }));
  const [delivery] = await until(async () => {
    const found = await list(endpointId, WebhookDeliveryState.WEBHOOK_DELIVERY_STATE_DELIVERED);
    return found.length === 1 ? found : undefined;
  });
  assert.equal([delivery?.eventId, delivery?.attempts, delivery?.lastStatus], [webhook.id, 1, 204]);
});

test('while deliveries cannot be written events are told, and each is sent once when they can', async () => {
  const { receiver } = await stage.receiver(client);
  const told = async () => (await stage.ledger.ledger.outboxTake(10)).length === 0;
  const { sql } = stage.ledger;
  await sql(`ALTER TABLE ledger.webhook_deliveries ADD CONSTRAINT broken CHECK (event_type = '') NOT VALID`);
  for (const user of ['ann', 'bob']) {
    await stage.held(user);
    await until(told);
  }
  assert.equal(receiver.received, []);
  await sql('ALTER TABLE ledger.webhook_deliveries DROP CONSTRAINT broken');
  await stage.held('cid');
  await until(() => receiver.received.length >= 3);
  const users = receiver.received.map(({ body }) => JSON.parse(body).data.user_id);
  assert.equal(users, ['ann', 'bob', 'cid']);
});

test('what failed comes again under its id after five seconds, and what came later waits for it', async () => {
  const { receiver, endpointId } = await stage.receiver(client);
  receiver.answer = 500;
  await stage.held('ann');
  await until(async () => (await list(endpointId))[0]?.attempts === 1);
  const [first] = await list(endpointId);
  const waitMs = (first?.nextAttemptAt?.getTime() ?? 0) - (first?.lastAttemptAt?.getTime() ?? 0);
  assert.ok(waitMs >= 4_500 && waitMs <= 5_500, `${waitMs} ms`);
  assert.is(first?.lastError, 'it answered 500');
  await stage.held('bob');
  await until(async () => (await list(endpointId)).length === 2);
  assert.is(receiver.received.length, 1);
  receiver.answer = 204;
  await stage.hurry();
  await until(() => receiver.received.length === 3);
  const users = receiver.received.map(({ body }) => JSON.parse(body).data.user_id);
  assert.equal(users, ['ann', 'ann', 'bob']);
  assert.is(receiver.received[0]?.id, receiver.received[1]?.id);
});

test('endpoints that hang hold up no other, and one endpoint is never sent two at once', async () => {
  const slow = await Promise.all([1, 2, 3].map(() => stage.receiver(client)));
  for (const { receiver } of slow) receiver.answer = () => undefined;
  const { receiver: quick } = await stage.receiver(client);
  for (const user of ['ann', 'bob', 'cid']) await stage.held(user);
  await until(() => quick.received.length === 3);
  assert.equal(
    quick.received.map(({ body }) => JSON.parse(body).data.user_id),
    ['ann', 'bob', 'cid'],
  );
  assert.equal(
    slow.map(({ receiver }) => receiver.received.length),
    [1, 1, 1],
  );
  assert.is(quick.mostAtOnce, 1);
});

test('two processes never send the same at once, and each event once', async () => {
  await stage.start();
  const receivers = await Promise.all([1, 2, 3].map(() => stage.receiver(client)));
  for (const one of Array.from({ length: 10 }, (_, index) => `user-${index}`)) await stage.held(one);
  await until(() => receivers.every(({ receiver }) => receiver.received.length >= 10), { timeoutMs: 30_000 });
  for (const { receiver } of receivers) {
    assert.is(receiver.mostAtOnce, 1);
    assert.is(new Set(receiver.received.map(({ id }) => id)).size, receiver.received.length);
  }
});

test('410 disables the endpoint at once; resumed, it gets what waited', async () => {
  const { receiver, endpointId } = await stage.receiver(client);
  receiver.answer = 410;
  await stage.held('ann');
  const disabled = WebhookEndpointState.WEBHOOK_ENDPOINT_STATE_DISABLED;
  await until(async () => (await endpointOf(endpointId))?.state === disabled);
  const { alerts } = await stage.ledger.ledger.alertsList({ withCleared: false }, {});
  assert.equal(
    alerts.map(({ kind, subject }) => [kind, subject]),
    [['WEBHOOK_DISABLED', endpointId]],
  );
  receiver.answer = 204;
  await client.resumeWebhookEndpoint({ endpointId, requestId: randomUUID() }, olga);
  await until(() => receiver.received.length === 2);
});

test('paused, nothing is sent; resumed, everything in its order', async () => {
  const { receiver, endpointId } = await stage.receiver(client);
  await client.pauseWebhookEndpoint({ endpointId, reason: 'they move', requestId: randomUUID() }, olga);
  for (const user of ['ann', 'bob']) await stage.held(user);
  await until(async () => (await endpointOf(endpointId))?.waiting === 2);
  assert.equal(receiver.received, []);
  await client.resumeWebhookEndpoint({ endpointId, requestId: randomUUID() }, olga);
  await until(() => receiver.received.length === 2);
  assert.match(receiver.received[0]?.body ?? '', 'ann');
});

test('while a secret is replaced both sign, and either is believed', async () => {
  const { receiver, endpointId, secret } = await stage.receiver(client);
  const rotation = { endpointId, requestId: randomUUID() };
  const rotated = await client.rotateWebhookSecret(rotation, olga);
  assert.is((await client.rotateWebhookSecret(rotation, olga)).secret, rotated.secret);
  assert.ok((rotated.endpoint?.previousSecretUntil?.getTime() ?? 0) > Date.now() + 80_000_000);
  await stage.held('ann');
  const webhook = await until(() => receiver.received[0]);
  assert.is(verified(secret, webhook).type, 'order.held');
  assert.is(verified(rotated.secret, webhook).type, 'order.held');
  await stage.ledger.sql('UPDATE ledger.webhook_secrets SET previous_until = now()');
  await stage.held('bob');
  const after = await until(() => receiver.received[1]);
  assert.is(verified(rotated.secret, after).type, 'order.held');
  assert.throws(() => verified(secret, after));
});

test('what was delivered can be sent again by its id, and a test goes past what waits', async () => {
  const { receiver, endpointId, secret } = await stage.receiver(client);
  await stage.held('ann');
  const { id: eventId } = await until(() => receiver.received[0]);
  await until(async () => (await endpointOf(endpointId))?.waiting === 0);
  const replay = { endpointId, eventId, failedSince: undefined, requestId: randomUUID() };
  const again = await client.replayWebhookDeliveries(replay, olga);
  assert.is(again.replayed, 1);
  await until(() => receiver.received.length === 2);
  assert.is(receiver.received[1]?.id, eventId);
  const tested = await client.sendTestWebhook({ endpointId }, olga);
  assert.equal([tested.delivered, tested.status, tested.error], [true, 204, '']);
  assert.is(verified(secret, receiver.received[2] as Received).type, 'test');
  receiver.answer = 503;
  assert.equal((await client.sendTestWebhook({ endpointId }, olga)).error, 'it answered 503');
});

test('everything that is wrong with an endpoint is told at once', async () => {
  const wrong = { storeId: 'a b', endpointId: '', url: 'ftp://u@x/', eventTypes: ['order.eaten'], requestId: '' };
  const fault = await rejectionOf(client.putWebhookEndpoint(wrong, olga), Fault);
  assert.is(fault.reason, 'INVALID_REQUEST');
  assert.equal(
    fault.violations.map(({ field }) => field),
    ['store_id', 'url', 'url', 'event_types[0]', 'request_id'],
  );
  const replay = { endpointId: '', eventId: '', failedSince: undefined, requestId: '' };
  const both = await rejectionOf(client.replayWebhookDeliveries(replay, olga), Fault);
  assert.equal(
    both.violations.map(({ field }) => field),
    ['endpoint_id', 'event_id', 'request_id'],
  );
  const unknown = await rejectionOf(client.resumeWebhookEndpoint({ endpointId: 'whe_x', requestId: 'r' }, olga), Fault);
  assert.is(unknown.reason, 'WEBHOOK_ENDPOINT_NOT_FOUND');
});

test('staff see and send again what is of their stores, and of others hear what they hear of none', async () => {
  const { receiver, endpointId } = await stage.receiver(client);
  await stage.held('ann');
  const { id: eventId } = await until(() => receiver.received[0]);
  const staff = (...stores: string[]) => ({
    metadata: {
      'holdfast-actor': 'sam',
      'holdfast-actor-role': 'staff',
      'holdfast-actor-stores': JSON.stringify(stores),
    },
  });
  const listed = async (storeId: string, ...stores: string[]) =>
    (await client.listWebhookEndpoints({ storeId, ...page }, staff(...stores))).endpoints.map((one) => one.endpointId);
  assert.equal(await listed('', 'store-1'), [endpointId]);
  assert.equal(await listed('store-1', 'store-0', 'store-1'), [endpointId]);
  for (const stores of [[], ['store-2']]) {
    assert.equal(await listed('', ...stores), []);
    assert.equal(await listed('store-1', ...stores), []);
  }
  const all = { endpointId, state: anyState, since: undefined, ...page };
  const replay = { endpointId, eventId, failedSince: undefined, requestId: randomUUID() };
  assert.is((await client.listWebhookDeliveries(all, staff('store-1'))).deliveries.length, 1);
  assert.is((await client.replayWebhookDeliveries(replay, staff('store-1'))).replayed, 1);
  await until(() => receiver.received.length === 2);
  const [kept] = (await stage.ledger.ledger.controlChangesList(undefined, {})).changes;
  assert.equal([kept?.what, kept?.changedBy], ['WEBHOOK_REPLAY', 'sam']);
  for (const ask of [
    () => client.listWebhookDeliveries(all, staff('store-2')),
    () => client.listWebhookDeliveries({ ...all, endpointId: 'whe_x' }, staff('store-1')),
    () => client.replayWebhookDeliveries({ ...replay, requestId: randomUUID() }, staff()),
  ]) {
    assert.is((await rejectionOf(ask(), Fault)).reason, 'WEBHOOK_ENDPOINT_NOT_FOUND');
  }
});

test.run();
