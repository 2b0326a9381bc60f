import { Client, type ClientDuplexStream, credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import { AlertServiceDefinition } from '#libs/contracts/gen/holdfast/control/v1/alert_service.js';
import { ControlServiceDefinition } from '#libs/contracts/gen/holdfast/control/v1/control_service.js';
import { DeadLetterServiceDefinition } from '#libs/contracts/gen/holdfast/control/v1/dead_letter_service.js';
import { ExplainServiceDefinition } from '#libs/contracts/gen/holdfast/control/v1/explain_service.js';
import { MoneyServiceDefinition } from '#libs/contracts/gen/holdfast/control/v1/money_service.js';
import { OrderDeskServiceDefinition } from '#libs/contracts/gen/holdfast/control/v1/order_desk_service.js';
import { ReconcileServiceDefinition } from '#libs/contracts/gen/holdfast/control/v1/reconcile_service.js';
import { OrderState } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import { PaymentServiceDefinition } from '#libs/contracts/gen/holdfast/reservation/v1/payment_service.js';
import { ReservationServiceDefinition } from '#libs/contracts/gen/holdfast/reservation/v1/reservation_service.js';
import { SchedulerServiceDefinition } from '#libs/contracts/gen/holdfast/scheduler/v1/scheduler_service.js';
import { StatusServiceDefinition } from '#libs/contracts/gen/holdfast/status/v1/status_service.js';
import { WaitlistServiceDefinition } from '#libs/contracts/gen/holdfast/waitlist/v1/waitlist_service.js';
import { WebhookServiceDefinition } from '#libs/contracts/gen/holdfast/webhook/v1/webhook_service.js';
import { orderId } from '#libs/contracts/order-id.js';
import type { MethodDefinition, ServiceDefinition } from '#libs/rpc/definition.js';
import { faultOfCall } from '#libs/rpc/status.js';
import { assert, suite } from '#libs/testing/suite.js';
import { bearerOf, tokenOf } from '#libs/testing/test-issuer.js';
import { type Permitted, permissions } from '../src/domain/permissions.js';
import { orderOf } from './fake-peers.js';
import { as, type GatewaysUnderTest, outcomeOf, reservation, startGateways } from './gateways-under-test.js';

const test = suite('permissions');

/** Everything that the gateway serves. */
const served: ServiceDefinition[] = [
  ReservationServiceDefinition,
  PaymentServiceDefinition,
  WaitlistServiceDefinition,
  ControlServiceDefinition,
  ReconcileServiceDefinition,
  AlertServiceDefinition,
  DeadLetterServiceDefinition,
  ExplainServiceDefinition,
  MoneyServiceDefinition,
  OrderDeskServiceDefinition,
  SchedulerServiceDefinition,
  WebhookServiceDefinition,
  StatusServiceDefinition,
];

let gateways: GatewaysUnderTest;
let raw: Client;

test.before(async () => {
  gateways = await startGateways(1, { USER_RATE_PER_SECOND: '1000000', USER_RATE_BURST: '1000000' });
  raw = new Client(gateways.addresses[0] ?? '', credentials.createInsecure());
});
test.after(async () => {
  raw.close();
  await gateways.close();
});

/** Who comes, by the role that the table knows them in. */
const callers: [name: string, role: Permitted, metadata: Record<string, string>][] = [
  ['nobody', 'NOBODY', {}],
  ['a user', 'USER', as('ana').metadata],
  ['another user', 'USER', as('ben').metadata],
  ['staff', 'STAFF', as('sam', { role: 'STAFF', stores: ['store-1'] }).metadata],
  ['staff of another store', 'STAFF', as('tom', { role: 'STAFF', stores: ['store-2'] }).metadata],
  ['staff of no store', 'STAFF', as('uwe', { role: 'STAFF' }).metadata],
  ['a service', 'SERVICE', as('front', { role: 'SERVICE' }).metadata],
  ['an operator', 'OPERATOR', as('olga', { role: 'OPERATOR' }).metadata],
];

interface Called {
  service: ServiceDefinition;
  method: MethodDefinition;
  name: string;
}

function everyMethod(): Called[] {
  return served.flatMap((service) =>
    Object.values(service.methods).map((method) => ({ service, method, name: `${service.fullName}/${method.name}` })),
  );
}

/** The reason that a method answers an empty request with, or ANSWERED. A stream that opened is ended. */
function reasonOf({ method, name }: Called, headers: Record<string, string>): Promise<string> {
  const metadata = new Metadata();
  for (const [key, value] of Object.entries(headers)) metadata.set(key, value);
  const asIs = (bytes: Buffer): Buffer => bytes;
  const options = { deadline: Date.now() + 20_000 };
  const empty = Buffer.alloc(0);
  const failed = (error: ServiceError): string => faultOfCall(error).reason;
  if (!method.requestStream && !method.responseStream) {
    return new Promise((resolve) => {
      raw.makeUnaryRequest(`/${name}`, asIs, asIs, empty, metadata, options, (error) =>
        resolve(error === null ? 'ANSWERED' : failed(error)),
      );
    });
  }
  return new Promise((resolve) => {
    const stream = method.requestStream
      ? raw.makeBidiStreamRequest(`/${name}`, asIs, asIs, metadata, options)
      : raw.makeServerStreamRequest(`/${name}`, asIs, asIs, empty, metadata, options);
    stream.on('error', (error: ServiceError) => resolve(failed(error)));
    stream.on('end', () => resolve('ANSWERED'));
    stream.resume();
    if (method.requestStream) (stream as ClientDuplexStream<Buffer, Buffer>).end();
  });
}

const refused = new Set(['PERMISSION_DENIED', 'TOKEN_MISSING']);

test('the table names every method that is served, and no other', () => {
  assert.equal(
    Object.keys(permissions).sort(),
    everyMethod()
      .map(({ name }) => name)
      .sort(),
  );
});

test('every method lets in whom the table names, and tells everybody else that they may not, before anything else', async () => {
  for (const called of everyMethod()) {
    for (const [who, role, metadata] of callers) {
      const reason = await reasonOf(called, metadata);
      const label = `${who}: ${called.name}`;
      if (permissions[called.name]?.includes(role)) {
        assert.is(refused.has(reason), false, `${label} ${reason}`);
      } else {
        assert.is(reason, role === 'NOBODY' ? 'TOKEN_MISSING' : 'PERMISSION_DENIED', label);
      }
    }
  }
});

test('whoever shows a bad token is told so even where nobody need show one', async () => {
  const bad = { authorization: `Bearer ${tokenOf('ana').slice(0, -8)}AAAAAAAA` };
  const old = { authorization: bearerOf('ana', { seconds: -60 }) };
  for (const called of everyMethod()) {
    assert.is(await reasonOf(called, bad), 'TOKEN_INVALID', called.name);
    assert.is(await reasonOf(called, old), 'TOKEN_EXPIRED', called.name);
  }
});

test('what callers say of themselves besides their token counts for nothing', async () => {
  const id = orderId('store-1', 'ana', 'injected');
  gateways.books.rows.set(id, orderOf({ orderId: id, userId: 'ana' }, OrderState.ORDER_STATE_HELD));
  const [client] = gateways.clients;
  for (const more of [
    { 'holdfast-actor': 'ana', 'holdfast-actor-role': 'user' },
    { 'holdfast-actor': 'olga', 'holdfast-actor-role': 'operator' },
    { 'holdfast-actor-role': 'staff', 'holdfast-actor-stores': '["store-1"]' },
    { 'x-holdfast-user': 'ana', 'x-holdfast-role': 'operator' },
  ]) {
    const metadata = { ...as('ben').metadata, ...more };
    const found = client?.getOrder({ orderId: id }, { metadata }) ?? Promise.resolve({});
    assert.is(await outcomeOf(found), 'ORDER_NOT_FOUND', JSON.stringify(more));
    const called = everyMethod().find(({ name }) => name.endsWith('/GetMeshStatus')) as Called;
    assert.is(await reasonOf(called, metadata), 'PERMISSION_DENIED');
  }
});

test('only services act for others, and staff where they reserve', async () => {
  const [client] = gateways.clients;
  const reserveAs = (...who: Parameters<typeof as>) =>
    outcomeOf(client?.reserve(reservation('for-another'), as(...who)) ?? Promise.resolve({}));
  const staff = { role: 'STAFF', stores: ['store-1'] } as const;
  assert.is(await reserveAs('ben', {}, 'ana'), 'PERMISSION_DENIED');
  assert.is(await reserveAs('ana', {}, 'ana'), 'PERMISSION_DENIED');
  assert.is(await reserveAs('olga', { role: 'OPERATOR' }, 'ana'), 'PERMISSION_DENIED');
  assert.is(await reserveAs('front', { role: 'SERVICE' }), 'INVALID_REQUEST');
  assert.is(await reserveAs('front', { role: 'SERVICE' }, 'ana'), 'held');
  assert.is(await reserveAs('sam', staff, 'ana'), 'held');
  assert.is(await reserveAs('sam', staff), 'INVALID_REQUEST');
  assert.is(await reserveAs('sam', { role: 'STAFF', stores: ['store-2'] }, 'ana'), 'PERMISSION_DENIED');
  for (const item of gateways.books.placed) assert.is(item.userId, 'ana');
  const [byService, byStaff] = gateways.books.placed.slice(-2);
  assert.equal([byService?.bookedBy, byStaff?.bookedBy], [undefined, { staffId: 'sam', forceReason: '' }]);

  const id = orderId('store-1', 'ana', 'for-another');
  const getAs = (...who: Parameters<typeof as>) =>
    outcomeOf(client?.getOrder({ orderId: id }, as(...who)) ?? Promise.resolve({}));
  assert.is(await getAs('front', { role: 'SERVICE' }, 'ana'), 'OK');
  assert.is(await getAs('front', { role: 'SERVICE' }, 'ben'), 'ORDER_NOT_FOUND');
  assert.is(await getAs('sam', staff, 'ana'), 'PERMISSION_DENIED');
  assert.is(await getAs('sam', staff), 'OK');
  assert.is(await getAs('tom', { role: 'STAFF', stores: ['store-2'] }), 'ORDER_NOT_FOUND');
  assert.is(await getAs('olga', { role: 'OPERATOR' }), 'OK');
});

test('only staff pass over what one person may have, with a reason, and under their own name', async () => {
  const [client] = gateways.clients;
  const force = (forceReason: string, ...who: Parameters<typeof as>) =>
    outcomeOf(client?.reserve({ ...reservation('forced'), forceReason }, as(...who)) ?? Promise.resolve({}));
  const staff = { role: 'STAFF', stores: ['store-1'] } as const;
  const before = gateways.books.placed.length;
  assert.is(await force('because', 'ana'), 'PERMISSION_DENIED');
  assert.is(await force('because', 'front', { role: 'SERVICE' }, 'ana'), 'PERMISSION_DENIED');
  assert.is(await force('because', 'sam', { role: 'STAFF', stores: ['store-2'] }, 'ana'), 'PERMISSION_DENIED');
  assert.is(await force('a\u0000b', 'sam', staff, 'ana'), 'INVALID_REQUEST');
  assert.is(await force('x'.repeat(501), 'sam', staff, 'ana'), 'INVALID_REQUEST');
  assert.is(gateways.books.placed.length, before);
  assert.is(await force('his mother is ill', 'sam', staff, 'ana'), 'held');
  const forced = gateways.books.placed.at(-1);
  assert.equal([forced?.userId, forced?.bookedBy], ['ana', { staffId: 'sam', forceReason: 'his mother is ill' }]);
});

test('an undecided order is known to its user and to staff of its store', async () => {
  const id = orderId('store-1', 'ana', 'undecided');
  gateways.books.claims.set(id, orderOf({ orderId: id, userId: 'ana' }, OrderState.ORDER_STATE_PENDING));
  const getAs = (...who: Parameters<typeof as>) =>
    outcomeOf(gateways.clients[0]?.getOrder({ orderId: id }, as(...who)) ?? Promise.resolve({}));
  assert.is(await getAs('ana'), 'OK');
  assert.is(await getAs('ben'), 'ORDER_NOT_FOUND');
  assert.is(await getAs('sam', { role: 'STAFF', stores: ['store-1'] }), 'OK');
  assert.is(await getAs('tom', { role: 'STAFF', stores: ['store-2'] }), 'ORDER_NOT_FOUND');
});

test.run();
