import { WebhookDeliveryState } from '#libs/contracts/gen/holdfast/webhook/v1/webhook_service.js';
import { assert, suite } from '#libs/testing/suite.js';
import { holdfast } from './command-line.js';
import { type FakeGateway, startFakeGateway } from './fake-gateway.js';
import { webhookAnswers } from './webhook-samples.js';

const test = suite('holdfast webhook');
let gateway: FakeGateway;
test.before(async () => {
  gateway = await startFakeGateway();
});
test.before.each(() => {
  gateway.asked = [];
  gateway.script = { ...webhookAnswers };
});
test.after(() => gateway.close());

const run = (...args: string[]) => holdfast(['--gateway', gateway.address, 'webhook', ...args]);

test('an endpoint is added, and its secret shown', async () => {
  const args = [
    'add',
    '--store',
    'kiln',
    '--url',
    'https://kiln.example/hooks',
    '--events',
    'order.*, waitlist.offered',
  ];
  const { code, out } = await run(...args);
  assert.is(code, 0);
  assert.match(out, /whe_1 +kiln.*DISABLED: it answered 410 Gone +3/);
  assert.match(out, /secret: whsec_abc\n/);
  const [asked] = gateway.requests('putWebhookEndpoint');
  assert.equal([asked?.storeId, asked?.eventTypes], ['kiln', ['order.*', 'waitlist.offered']]);
});

test('everything that is wrong is said, and nothing is asked', async () => {
  const { code, err } = await run('add', '--url', 'nowhere');
  assert.is(code, 2);
  assert.match(err, /--store/);
  assert.match(err, /--url/);
  assert.is((await run('replay', 'whe_1')).code, 2);
  assert.is((await run('pause', 'whe_1')).code, 2);
  assert.is((await run('deliveries', 'whe_1', '--state', 'lost')).code, 2);
  assert.equal(gateway.asked, []);
});

test('endpoints and deliveries are listed, as text and as JSON', async () => {
  const { endpoints } = JSON.parse((await run('list', '--json')).out);
  assert.equal([endpoints[0].state, endpoints[0].waiting], ['DISABLED', 3]);
  const { out } = await run('deliveries', 'whe_1', '--state', 'failed', '--since', '2h');
  assert.match(out, /4711 +order.held +FAILED +10 .*it answered 503/);
  const [asked] = gateway.requests('listWebhookDeliveries');
  assert.is(asked?.state, WebhookDeliveryState.WEBHOOK_DELIVERY_STATE_FAILED);
  assert.ok(Math.abs((asked?.since?.getTime() ?? 0) - (Date.now() - 7_200_000)) < 60_000);
});

test('what failed is sent again, and a test says what came of it', async () => {
  assert.match((await run('replay', 'whe_1', '--failed-since', '2d')).out, /2 events are sent again/);
  const { code, out } = await run('test', 'whe_1');
  assert.is(code, 0);
  assert.match(out, /it answered 204 after 12 ms/);
});

test('a test that was not accepted fails, and so does a replay of an event that is not there', async () => {
  gateway.script.sendTestWebhook = { delivered: false, status: 503, error: 'it answered 503', tookMs: 12 };
  gateway.script.replayWebhookDeliveries = { replayed: 0 };
  const tested = await run('test', 'whe_1');
  assert.is(tested.code, 1);
  assert.match(tested.out, /it answered 503, after 12 ms/);
  assert.match(tested.err, /not accepted/);
  const replayed = await run('replay', 'whe_1', '--event', '9');
  assert.equal([replayed.code, replayed.out], [1, '']);
  assert.match(replayed.err, /endpoint whe_1 has no event 9/);
  assert.is((await run('replay', 'whe_1', '--failed-since', '2d')).code, 0);
});

test.run();
