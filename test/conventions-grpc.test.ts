import { randomUUID } from 'node:crypto';
import { create, type DescField, type DescMessage, type DescMethod, toBinary } from '@bufbuild/protobuf';
import { type ServiceError, status as statusCode } from '@grpc/grpc-js';
import { ReserveRequest } from '#libs/contracts/gen/holdfast/reservation/v1/reservation_service.js';
import { WebhookServiceDefinition } from '#libs/contracts/gen/holdfast/webhook/v1/webhook_service.js';
import type { TokenWish } from '#libs/identity/token-issuer.js';
import { connect } from '#libs/rpc/client.js';
import { encode } from '#libs/rpc/definition.js';
import { faultOfCall } from '#libs/rpc/status.js';
import { assert, suite } from '#libs/testing/suite.js';
import { bearerOf } from '#libs/testing/test-issuer.js';
import { permissions } from '../services/gateway/src/domain/permissions.js';
import { errorOfGrpc, type Header } from './edge-calls.js';
import { type OnSale, onSale, somebody } from './on-sale.js';
import { insist, orderIdOf, requestOf } from './press.js';
import { contracts } from './reflection.js';
import { detailsOf } from './status-details.js';
import { startTestMesh, type TestMesh } from './test-mesh.js';
import { TestServices } from './test-services.js';

const test = suite('conventions: gRPC');
const generous = { perSecond: 1_000, burst: 1_000 };
const unknownId = '0a1b0000-0000-8000-8000-000000000001';
const reservations = 'holdfast.reservation.v1.ReservationService';
const pageSizeMax = 500;

let mesh: TestMesh;
let services: TestServices;
/** A gateway whose inventory is away. */
let cutOff: string;
let sku: OnSale;

test.before(async () => {
  mesh = await startTestMesh({ scheduler: true, webhook: true });
  services = new TestServices({ postgres: mesh.ledger.url });
  const order = mesh.processes.find(({ service }) => service === 'order')?.grpcAddress ?? '';
  cutOff = (await services.gateway({ inventory: '127.0.0.1:1', order })).grpcAddress;
  sku = await onSale(mesh, generous);
});
test.after(async () => {
  await services.close();
  await mesh.close();
});

const as = (user: string, wish: TokenWish = {}) => ({ metadata: { authorization: bearerOf(user, wish) } });

/** Every method of the gateway that answers one request with one message. */
const methods: DescMethod[] = contracts()
  .flatMap((service) => service.methods)
  .filter((method) => method.methodKind === 'unary' && Object.hasOwn(permissions, nameOf(method)));

function nameOf({ parent, name }: DescMethod): string {
  return `${parent.typeName}/${name}`;
}

interface Asked {
  who?: string;
  wish?: TokenWish;
  at?: string;
  headers?: Header[];
}

/** The error of a call; rejects when there is none. */
async function refusalOf(method: string, bytes: Uint8Array, asked: Asked = {}): Promise<ServiceError> {
  const { who = 'ada', wish, at = mesh.gatewayAddresses[0] ?? '', headers } = asked;
  const own: Header[] = [['authorization', bearerOf(who, wish)]];
  const error = await errorOfGrpc(at, { method, headers: headers ?? own, bytes });
  if (error === null) throw new Error(`${method} was accepted`);
  return error;
}

/** One who may call the method: a user, if users may. */
function wishFor(method: DescMethod): TokenWish {
  const roles = permissions[nameOf(method)] ?? [];
  if (roles.includes('USER')) return {};
  return { role: roles.includes('SERVICE') ? 'SERVICE' : 'OPERATOR' };
}

function has(message: DescMessage, ...names: string[]): boolean {
  return names.every((name) => message.fields.some((field) => field.name === name));
}

/** The fields that a method finds wrong with a request of which only these members are set. */
async function wrongFieldsOf(method: DescMethod, members: Record<string, unknown>): Promise<string[]> {
  const bytes = toBinary(method.input, create(method.input, members as never));
  const { bad, infos } = detailsOf(await refusalOf(nameOf(method), bytes, { wish: wishFor(method) }));
  assert.is(infos[0]?.reason, 'INVALID_REQUEST', nameOf(method));
  return bad.flatMap(({ fieldViolations }) => fieldViolations.map(({ field }) => field));
}

/** What those are told who come for a sku all at once, far more than its rate lets in. */
async function limitedCalls(): Promise<ServiceError[]> {
  const slow = await onSale(mesh, { perSecond: 1, burst: 1 });
  const calls = Array.from({ length: 20 }, () => {
    const one = somebody(slow);
    const bytes = encode(ReserveRequest, requestOf(one));
    const headers: Header[] = [['authorization', bearerOf(one.user)]];
    return errorOfGrpc(mesh.gatewayAddresses[0] ?? '', { method: `${reservations}/Reserve`, headers, bytes });
  });
  const errors = (await Promise.all(calls)).filter((error) => error !== null);
  return errors.filter(({ code }) => code === statusCode.RESOURCE_EXHAUSTED);
}

const reserve = (request: Partial<ReserveRequest>): Buffer =>
  encode(ReserveRequest, { ...requestOf({ ...sku, user: 'ada', key: randomUUID() }), ...request });

/** What a gateway says whose inventory is away. */
function whileAway(): Promise<ServiceError> {
  const name = `${reservations}/GetSku`;
  return refusalOf(name, requestBytes(name, { skuId: 'any' }), { at: cutOff });
}

function requestBytes(name: string, members: object): Uint8Array {
  const { input } = methodNamed(name);
  return toBinary(input, create(input, members as never));
}

function methodNamed(name: string): DescMethod {
  const method = methods.find((one) => nameOf(one) === name);
  if (method === undefined) throw new Error(`there is no ${name}`);
  return method;
}

test('a status that is not OK is a google.rpc.Status with one ErrorInfo: reason, domain and every variable part', async () => {
  const line = { quantity: 1, attendeeId: '', unitPriceMinor: 0 };
  const [limited] = await limitedCalls();
  if (limited === undefined) throw new Error('nobody was limited');
  const cases: [string, ServiceError, code: string, metadata: string[]][] = [
    [
      'ORDER_NOT_FOUND',
      await refusalOf(`${reservations}/GetOrder`, requestBytes(`${reservations}/GetOrder`, { orderId: unknownId })),
      'NOT_FOUND',
      ['order_id'],
    ],
    [
      'SKU_NOT_FOUND',
      await refusalOf(`${reservations}/Reserve`, reserve({ lines: [{ ...line, skuId: 'none' }] })),
      'NOT_FOUND',
      ['sku_id'],
    ],
    ['RATE_LIMITED', limited, 'RESOURCE_EXHAUSTED', ['limit', 'sku', 'store', 'rate']],
    ['TOKEN_MISSING', await refusalOf(`${reservations}/Reserve`, reserve({}), { headers: [] }), 'UNAUTHENTICATED', []],
    [
      'PERMISSION_DENIED',
      await refusalOf('holdfast.control.v1.ControlService/PauseSku', new Uint8Array()),
      'PERMISSION_DENIED',
      ['role', 'method'],
    ],
    ['INVALID_REQUEST', await refusalOf(`${reservations}/Reserve`, new Uint8Array()), 'INVALID_ARGUMENT', []],
    ['METHOD_UNKNOWN', await refusalOf(`${reservations}/Steal`, new Uint8Array()), 'UNIMPLEMENTED', ['method']],
    ['UNAVAILABLE', await whileAway(), 'UNAVAILABLE', []],
  ];
  for (const [reason, error, code, metadata] of cases) {
    const { infos } = detailsOf(error);
    assert.equal([infos.length, infos[0]?.reason, infos[0]?.domain], [1, reason, 'holdfast'], reason);
    assert.is(statusCode[error.code], code, reason);
    const facts = infos[0]?.metadata ?? {};
    for (const name of metadata) assert.ok(facts[name], `${reason} ${name}`);
    const variable = metadata.length > 0 ? (error.details.match(/[\w./-]*\d[\w./-]*/g) ?? []) : [];
    for (const part of variable) assert.ok(Object.values(facts).includes(part), `${error.details}: ${part}`);
  }
});

test('BadRequest names every field that is wrong, not the first one only', async () => {
  const lines = [{ skuId: '', quantity: 0, attendeeId: ' ', unitPriceMinor: 0 }];
  const error = await refusalOf(`${reservations}/Reserve`, reserve({ storeId: '', requestId: '', lines }));
  const { bad } = detailsOf(error);
  const fields = bad[0]?.fieldViolations.map(({ field }) => field).sort();
  const ofLine = ['lines[0].attendee_id', 'lines[0].quantity', 'lines[0].sku_id'];
  assert.equal([bad.length, fields], [1, [...ofLine, 'request_id', 'store_id']]);
  assert.ok(bad[0]?.fieldViolations.every(({ description }) => description !== ''));
});

test('RetryInfo says when to come again after RESOURCE_EXHAUSTED and UNAVAILABLE', async () => {
  const away = await whileAway();
  const errors = [...(await limitedCalls()), away];
  assert.equal([...new Set(errors.map(({ code }) => statusCode[code]))].sort(), ['RESOURCE_EXHAUSTED', 'UNAVAILABLE']);
  for (const error of errors) {
    const [retry, ...more] = detailsOf(error).retries;
    const { seconds = 0, nanos = 0 } = retry?.retryDelay ?? {};
    assert.equal([seconds + nanos > 0, more], [true, []], error.message);
  }
});

test('a message that is too large is an invalid request, and no rate limit: the reason decides, not the code', async () => {
  const error = await refusalOf(`${reservations}/Reserve`, reserve({ storeId: 'x'.repeat(1_000_001) }));
  const { infos, retries } = detailsOf(error);
  assert.equal([infos[0]?.reason, statusCode[error.code], retries], ['INVALID_REQUEST', 'INVALID_ARGUMENT', []]);
  const asRead = faultOfCall(error);
  assert.equal([asRead.reason, asRead.retryAfterMs], ['INVALID_REQUEST', undefined]);
});

test('AIP-155: every method that takes a request_id demands it, in its format', async () => {
  const changing = methods.filter(({ input }) => has(input, 'request_id'));
  assert.ok(changing.length > 20, `${changing.length}`);
  for (const requestId of ['', 'a b', 'x'.repeat(256), 'clé']) {
    const wrong = await Promise.all(changing.map((method) => wrongFieldsOf(method, { requestId })));
    const lax = changing.filter((_, index) => !wrong[index]?.includes('request_id'));
    assert.equal(lax.map(nameOf), [], `takes the request_id ${requestId}`);
  }
});

test('AIP-155: the same request_id gives the same answer, and is refused for anything else', async () => {
  const ada = { ...somebody(sku), key: randomUUID() };
  const first = await insist(mesh.gateway, ada);
  assert.is(orderIdOf(await insist(mesh.gateway, ada)), orderIdOf(first));
  assert.is((await insist(mesh.gateway, { ...ada, quantity: 2 })).kind, 'REQUEST_ID_REUSED');
  const orderId = orderIdOf(first) ?? '';
  const cancel = { orderId, requestId: randomUUID(), reason: '' };
  const cancelled = await mesh.gateway.cancelOrder(cancel, as(ada.user));
  assert.equal(await mesh.gateway.cancelOrder(cancel, as(ada.user)), cancelled);
  const other = orderIdOf(await insist(mesh.gateway, { ...ada, key: randomUUID() })) ?? '';
  const reused = await mesh.gateway.cancelOrder({ ...cancel, orderId: other }, as(ada.user)).catch(String);
  assert.match(String(reused), /request/i);
});

test('AIP-158: every list refuses a negative page_size and a page_token that it did not give', async () => {
  const endpointId = await newEndpoint();
  const lists = methods.filter(({ input }) => has(input, 'page_size', 'page_token'));
  assert.ok(lists.length >= 10, `${lists.length}`);
  for (const method of lists) {
    assert.ok(has(method.output, 'next_page_token'), nameOf(method));
    const ofUser = has(method.input, 'user_id');
    const which = { storeId: 'store-1', endpointId, ...(ofUser ? { userId: 'ada' } : { skuId: sku.skuId }) };
    assert.equal(await wrongFieldsOf(method, { ...which, pageSize: -1 }), ['page_size'], nameOf(method));
    const madeUp = Buffer.from('["other","1"]').toString('base64url');
    for (const pageToken of ['made-up', madeUp]) {
      assert.equal(await wrongFieldsOf(method, { ...which, pageToken }), ['page_token'], nameOf(method));
    }
  }
});

/** A webhook endpoint, whose deliveries can be listed. */
async function newEndpoint(): Promise<string> {
  const client = connect(WebhookServiceDefinition, mesh.gatewayAddresses[0] ?? '', { defaultDeadlineMs: 5_000 });
  const wish = { storeId: 'store-1', endpointId: '', url: 'http://127.0.0.1:9/', eventTypes: [], requestId: 'r' };
  const { endpoint } = await client.putWebhookEndpoint(wish, as('olga', { role: 'OPERATOR' }));
  client.close();
  return endpoint?.endpointId ?? '';
}

test('AIP-158: page_size is capped, the token is opaque, and only an empty one is the end', async () => {
  const storeId = `store-${randomUUID()}`;
  const count = pageSizeMax + 1;
  await Promise.all(Array.from({ length: count }, () => mesh.ledger.sku({ storeId })));
  const list = (pageSize: number, pageToken = '') =>
    mesh.gateway.listSkus({ storeId, pageSize, pageToken, startsAfter: undefined, startsBefore: undefined });
  const capped = await list(2_147_483_647);
  assert.is(capped.skus.length, pageSizeMax);
  assert.match(capped.nextPageToken, /^[\w-]+$/);
  const rest = await list(pageSizeMax, capped.nextPageToken);
  assert.equal([rest.skus.length, rest.nextPageToken], [1, '']);
  const [first, exact] = [await list(0), await list(count - 1, (await list(1)).nextPageToken)];
  assert.equal([first.skus.length, first.nextPageToken !== ''], [50, true]);
  assert.equal([exact.skus.length, exact.nextPageToken], [count - 1, '']);
});

test('AIP-216: every state is an enum whose zero is UNSPECIFIED, and no caller sets one', () => {
  const all = contracts().flatMap((service) => service.methods);
  const states = all.flatMap(({ output }) => [...fieldsWithin(output)]).filter(isState);
  assert.ok(states.length > 10, `${states.length}`);
  for (const field of states) {
    const zero = field.enum?.values[0];
    assert.equal([zero?.number, zero?.name.endsWith('_STATE_UNSPECIFIED')], [0, true], String(field));
  }
  for (const method of all) {
    // What a list is to be filtered by is asked, not set.
    const set = [...fieldsWithin(method.input)].filter((field) => isState(field) && !method.name.startsWith('List'));
    assert.equal(set.map(String), [], nameOf(method));
  }
});

/** The fields of a message and of all that it holds. */
function fieldsWithin(message: DescMessage, seen = new Set<DescField>()): Set<DescField> {
  for (const field of message.fields) {
    if (seen.has(field)) continue;
    seen.add(field);
    if (field.message) fieldsWithin(field.message, seen);
  }
  return seen;
}

function isState(field: DescField): boolean {
  return field.enum?.name.endsWith('State') === true;
}

test('permission comes before existence: who may not is told no more of what is there than of what is not', async () => {
  const orderId = orderIdOf(await insist(mesh.gateway, { ...somebody(sku), user: 'ada' })) ?? '';
  const said = async (method: DescMethod, members: object, who: string, wish?: TokenWish) => {
    const bytes = toBinary(method.input, create(method.input, members as never));
    const { code, details } = await refusalOf(nameOf(method), bytes, { who, ...(wish && { wish }) });
    return `${code} ${details}`.replaceAll(orderId, 'ID').replaceAll(unknownId, 'ID');
  };
  const getOrder = methodNamed(`${reservations}/GetOrder`);
  assert.is(await said(getOrder, { orderId }, 'eve'), await said(getOrder, { orderId: unknownId }, 'eve'));
  for (const method of methods.filter((one) => !permissions[nameOf(one)]?.includes('USER'))) {
    const { code } = await refusalOf(nameOf(method), new Uint8Array(), { who: 'eve' });
    if (permissions[nameOf(method)]?.includes('NOBODY')) continue;
    assert.is(statusCode[code], 'PERMISSION_DENIED', nameOf(method));
  }
});

test.run();
