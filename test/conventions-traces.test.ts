import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { type TestLedger, testLedger } from '#libs/ledger/test-ledger.js';
import { Lifecycle } from '#libs/runtime/lifecycle.js';
import { createLogger } from '#libs/runtime/logger.js';
import type { PrivateServer } from '#libs/servers/private-server.js';
import { privateNats, privateRedis } from '#libs/testing/private-servers.js';
import { assert, suite } from '#libs/testing/suite.js';
import { bearerOf } from '#libs/testing/test-issuer.js';
import { until } from '#libs/testing/until.js';
import { openTracing } from '#libs/tracing/open-tracing.js';
import { tracing } from '#libs/tracing/tracing.js';
import { pressHttp } from './press.js';
import { type ReceivedSpan, spanReceiver } from './span-receiver.js';
import { unlimited } from './unlimited.js';
import { type Upstreams, Victim } from './victim.js';

const test = suite('conventions: traces');

const traceId = '0af7651916cd43dd8448eb211c80319c';
const parentSpanId = 'b7ad6b7169203331';
const traceparent = `00-${traceId}-${parentSpanId}-01`;
const user = `user-${randomUUID()}`;
const key = `key-${randomUUID()}`;

let receiver: Awaited<ReturnType<typeof spanReceiver>>;
let ledger: TestLedger;
let servers: PrivateServer[];
const mesh: Victim[] = [];
let http: string;
let skuId: string;
let orderId: string;

test.before(async () => {
  receiver = await spanReceiver();
  ledger = await testLedger();
  const [redis, nats] = await Promise.all([privateRedis(), privateNats()]);
  servers = [redis, nats];
  const infra = { postgres: ledger.url, redis: redis.url, nats: nats.url };
  const order = await traced('order', infra);
  const inventory = await traced('inventory', infra);
  const peers = { inventory: inventory.address, order: order.address };
  const gateway = await traced('gateway', { redis: redis.url, ...peers }, unlimited);
  const bff = await traced('bff', { gateway: gateway.address });
  http = `http://${bff.address}`;
  ({ skuId } = await ledger.sku({ capacity: 10 }));
  const { body } = await pressHttp(http, { user, key, skuId, headers: { traceparent } });
  orderId = String(body.order_id);
  const headers = { authorization: bearerOf(user), traceparent: traceparent.replace(/01$/, '00') };
  await fetch(`${http}/v1/orders/${orderId}`, { headers });
  await fetch(`${http}/v1/orders/${orderId}`, { headers: { ...headers, traceparent } });
});
test.after(async () => {
  for (const victim of mesh.reverse()) await victim.close();
  receiver.close();
  await Promise.all([ledger.drop(), ...servers.map((server) => server.stop())]);
});

async function traced(service: Victim['service'], upstreams: Upstreams, env = {}): Promise<Victim> {
  const victim = await Victim.start(service, upstreams, {
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_TRACES_SAMPLER_ARG: '1',
    OTEL_BSP_SCHEDULE_DELAY: '50',
    INSTANCE: `${service}-here`,
    ...env,
  });
  mesh.push(victim);
  return victim;
}

/** Waits for a span of the trace. */
function spanOf(service: string, kind: string, name: string): Promise<ReceivedSpan> {
  return until(
    () =>
      receiver.spans.find(
        (span) =>
          span.traceId === traceId &&
          span.service === `holdfast-${service}` &&
          span.kind === kind &&
          span.name === name,
      ),
    {
      describe: () =>
        `${service} ${kind} ${name} among ${receiver.spans.map((span) => `\n${span.service} ${span.name}`)}`,
    },
  );
}

const reserveMethod = 'holdfast.reservation.v1.ReservationService/ReserveStream';
const placeMethod = 'holdfast.inventory.v1.InventoryService/PlaceHolds';

test('one reservation is one trace, from the edge to the commit', async () => {
  const edge = await spanOf('bff', 'SERVER', 'POST /v1/orders');
  const gateway = await spanOf('gateway', 'SERVER', reserveMethod);
  const inventory = await spanOf('inventory', 'SERVER', placeMethod);
  assert.is(edge.parentSpanId, parentSpanId);
  assert.is(gateway.parentSpanId, edge.spanId);
  assert.is((await spanOf('gateway', 'CLIENT', 'EVALSHA requests_begin')).parentSpanId, gateway.spanId);
  assert.is(inventory.parentSpanId, gateway.spanId);
  assert.is((await spanOf('inventory', 'CLIENT', 'EVALSHA holds_place')).parentSpanId, inventory.spanId);
  const published = await until(() => receiver.spans.find(({ kind }) => kind === 'PRODUCER'));
  assert.is(published.parentSpanId, inventory.spanId);
  const consumed = await until(() => receiver.spans.find(({ kind }) => kind === 'CONSUMER'));
  assert.equal([consumed.service, consumed.parentSpanId], ['holdfast-order', published.spanId]);
  assert.is((await spanOf('order', 'CLIENT', 'claims_admit')).parentSpanId, consumed.spanId);
});

test('a call by itself goes the same way, and a trace that is not sampled leaves nothing', async () => {
  const edge = await spanOf('bff', 'SERVER', 'GET /v1/orders/{id}');
  const method = 'holdfast.reservation.v1.ReservationService/GetOrder';
  const called = await spanOf('bff', 'CLIENT', method);
  const served = await spanOf('gateway', 'SERVER', method);
  assert.equal([called.parentSpanId, served.parentSpanId], [edge.spanId, called.spanId]);
  const inner = 'holdfast.order.v1.OrderService/GetOrder';
  assert.is((await spanOf('order', 'SERVER', inner)).parentSpanId, (await spanOf('gateway', 'CLIENT', inner)).spanId);
  assert.is(receiver.spans.filter(({ name }) => name === edge.name).length, 1);
  assert.is(receiver.spans.filter(({ kind, name }) => kind === 'SERVER' && name === method).length, 1);
});

test('names and attributes are those of the OpenTelemetry conventions', async () => {
  const edge = await spanOf('bff', 'SERVER', 'POST /v1/orders');
  assert.equal(edge.attributes, {
    'http.request.method': 'POST',
    'url.scheme': 'http',
    'http.route': '/v1/orders',
    'url.path': '/v1/orders',
    'http.response.status_code': 201,
  });
  const grpc = (method: string) => ({
    'rpc.system.name': 'grpc',
    'rpc.method': method,
    'rpc.response.status_code': 'OK',
  });
  assert.equal((await spanOf('gateway', 'SERVER', reserveMethod)).attributes, grpc(reserveMethod));
  assert.equal((await spanOf('inventory', 'SERVER', placeMethod)).attributes, grpc(placeMethod));
  const called = (await spanOf('bff', 'CLIENT', 'holdfast.reservation.v1.ReservationService/GetOrder')).attributes;
  assert.is(called['server.address'], '127.0.0.1');
  assert.type(called['server.port'], 'number');
  assert.equal((await spanOf('inventory', 'CLIENT', 'EVALSHA holds_place')).attributes, {
    'db.system.name': 'redis',
    'db.operation.name': 'EVALSHA',
    'db.stored_procedure.name': 'holds_place',
    'holdfast.batch.items': 1,
  });
  assert.equal((await spanOf('order', 'CLIENT', 'claims_admit')).attributes, {
    'db.system.name': 'postgresql',
    'db.operation.name': 'claims_admit',
    'holdfast.batch.items': 1,
  });
  for (const [kind, operation, type] of [
    ['PRODUCER', 'publish', 'send'],
    ['CONSUMER', 'process', 'process'],
  ]) {
    const { name, attributes } = await until(() => receiver.spans.find((span) => span.kind === kind));
    assert.match(name, new RegExp(`^${operation} claims\\.\\d$`));
    assert.is(attributes['messaging.system'], 'nats');
    assert.match(String(attributes['messaging.destination.name']), /^claims\.\d$/);
    assert.equal([attributes['messaging.operation.name'], attributes['messaging.operation.type']], [operation, type]);
  }
  for (const service of ['bff', 'gateway', 'inventory', 'order']) {
    const span = receiver.spans.find((one) => one.service === `holdfast-${service}`);
    if (service !== 'bff') assert.is(span?.instance, `${service}-here`);
    assert.ok(span);
  }
});

test('nothing in a span names a person, a request or a token', () => {
  const text = JSON.stringify(receiver.spans);
  for (const name of [user, key, bearerOf(user), orderId]) assert.not.ok(text.includes(name), name);
  assert.not.ok(receiver.spans.some(({ isError }) => isError));
});

test('the SDK is loaded when there is an endpoint, and not before', async () => {
  const loaded = () => Object.keys(createRequire(import.meta.url).cache).filter((path) => /sdk-trace|otlp/.test(path));
  await Promise.all(
    ['bff', 'gateway', 'inventory', 'order'].map((service) => import(`../services/${service}/src/service.js`)),
  );
  assert.equal([loaded(), tracing], [[], undefined]);
  const life = new Lifecycle(createLogger('test', 'silent'));
  await openTracing({ url: `${receiver.url}/v1/traces`, share: 1 }, { service: 'test', instance: 'here' }, life);
  assert.ok(loaded().length > 0 && tracing !== undefined);
  tracing.arrived('SERVER', 'last', {}).end();
  await life.close();
  assert.ok(receiver.spans.some(({ name, service }) => name === 'last' && service === 'holdfast-test'));
  assert.is(tracing, undefined);
});

test.run();
