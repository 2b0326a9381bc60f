import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import {
  GetOrderRequest,
  GetSkuRequest,
  ReserveRequest,
} from '#libs/contracts/gen/holdfast/reservation/v1/reservation_service.js';
import { assert, suite } from '#libs/testing/suite.js';
import { bearerOf } from '#libs/testing/test-issuer.js';
import { askHttp, assertSaid, callGrpc, type EdgeSaid, type Header, unitsOf } from './edge-calls.js';
import { type OnSale, onSale, somebody } from './on-sale.js';
import { pressHttp } from './press.js';
import { startTestMesh, type TestMesh } from './test-mesh.js';

const test = suite('bad input: odd requests');
const reservations = 'holdfast.reservation.v1.ReservationService';

let mesh: TestMesh;
let sku: OnSale;
let before: unknown;

test.before(async () => {
  mesh = await startTestMesh();
  sku = await onSale(mesh, { perSecond: 1_000, burst: 1_000 });
  before = await unitsOf(mesh.ledger.sql);
});
test.after.each(async () => assert.equal(await unitsOf(mesh.ledger.sql), before, 'units moved'));
test.after(async () => {
  const { status } = await pressHttp(mesh.http, somebody(sku));
  await mesh.close();
  assert.is(status, 201, 'after all of it the mesh still sells');
});

const eve: Header = ['authorization', bearerOf('eve')];
const json: Header = ['content-type', 'application/json'];
const key = (): Header => ['idempotency-key', randomUUID()];
const get = (path: string, ...more: Header[]): Promise<EdgeSaid> =>
  askHttp(mesh.http, { path, headers: [eve, ...more] });
const post = (body: unknown, path = '/v1/orders', ...more: Header[]): Promise<EdgeSaid> =>
  askHttp(mesh.http, { method: 'POST', path, headers: [eve, json, key(), ...more], body: JSON.stringify(body) });

/** Ids that look like paths name what is not there; they lead nowhere else. */
const pathLike = [
  '..',
  '../..',
  '../../v1/skus/x',
  '/',
  '//',
  '/etc/passwd',
  'a/b',
  '%2e%2e%2f',
  '..%2f..',
  '.',
  ';x',
  'a\\..\\b',
];
/** No ids at all. */
const noIds = ['\u0000', 'a\u0000b', 'a b', '\r\nset-cookie=x', '\u202e', 'x'.repeat(129), 'x'.repeat(900)];
const veryLong = 'x'.repeat(4_000);

test('an id in a path is one id, whatever it looks like', async () => {
  for (const id of pathLike) {
    const segment = encodeURIComponent(id).replaceAll('.', '%2e');
    assertSaid(await get(`/v1/orders/${segment}`), [404, 'ORDER_NOT_FOUND'], id);
    assertSaid(await get(`/v1/orders/${segment}/events`), [404, 'ORDER_NOT_FOUND'], id);
    assertSaid(await post({}, `/v1/orders/${segment}:cancel`), [404, 'ORDER_NOT_FOUND'], id);
    assertSaid(await get(`/v1/waitlist/${segment}`), [404, 'WAITLIST_ENTRY_NOT_FOUND'], id);
    assertSaid(await get(`/v1/skus/${segment}`), [404, 'SKU_NOT_FOUND'], id);
  }
  for (const id of noIds) {
    const segment = encodeURIComponent(id);
    for (const path of ['/v1/orders/', '/v1/waitlist/', '/v1/skus/']) {
      assertSaid(await get(path + segment), [400, 'INVALID_REQUEST'], id);
    }
  }
  for (const path of ['/v1/orders/', '/v1/waitlist/', '/v1/skus/']) {
    assertSaid(await get(path + veryLong), [414, 'PATH_TOO_LONG'], path);
  }
});

test('a path is taken as it is written: none leads out of where it stands', async () => {
  for (const path of ['/v1/orders/../skus/x', '/v1/../v1/x', '/../../etc/passwd', '/v1//orders', '/.', '/%2e%2e/v1']) {
    assertSaid(await get(path), [404, 'RESOURCE_NOT_FOUND'], path);
  }
  for (const path of ['/v1/orders/%', '/v1/orders/%zz', '/v1/skus/%c0%ae%c0%ae']) {
    assertSaid(await get(path), [400, 'INVALID_REQUEST'], path);
  }
});

test('an id in a body is what it is', async () => {
  const order = (storeId: string, skuId: string): object => {
    return { store_id: storeId, lines: [{ sku_id: skuId, quantity: 1 }] };
  };
  for (const id of pathLike) {
    assertSaid(await post(order(id, sku.skuId)), [404, 'SKU_NOT_FOUND'], id);
    assertSaid(await post(order(sku.storeId, id)), [404, 'SKU_NOT_FOUND'], id);
  }
  for (const id of [...noIds, veryLong]) {
    assertSaid(await post(order(id, sku.skuId)), [400, 'INVALID_REQUEST'], id);
    assertSaid(await post(order(sku.storeId, id)), [400, 'INVALID_REQUEST'], id);
  }
});

test('over gRPC likewise', async () => {
  const call = (method: string, bytes: Uint8Array): Promise<EdgeSaid> =>
    callGrpc(mesh.gatewayAddresses[0] ?? '', { method: `${reservations}/${method}`, headers: [eve], bytes });
  const order = (id: string) => GetOrderRequest.encode({ orderId: id }).finish();
  const skuOf = (id: string) => GetSkuRequest.encode({ skuId: id }).finish();
  const reserve = (id: string): Uint8Array => {
    const lines = [{ skuId: id, quantity: 1, attendeeId: '', unitPriceMinor: 0 }];
    return ReserveRequest.encode({ storeId: sku.storeId, requestId: randomUUID(), lines }).finish();
  };
  for (const id of pathLike) {
    assertSaid(await call('GetOrder', order(id)), ['NOT_FOUND', 'ORDER_NOT_FOUND'], id);
    assertSaid(await call('GetSku', skuOf(id)), ['NOT_FOUND', 'SKU_NOT_FOUND'], id);
    assertSaid(await call('Reserve', reserve(id)), ['NOT_FOUND', 'SKU_NOT_FOUND'], id);
  }
  for (const id of [...noIds, veryLong]) {
    assertSaid(await call('GetOrder', order(id)), ['INVALID_ARGUMENT', 'INVALID_REQUEST'], id);
    assertSaid(await call('GetSku', skuOf(id)), ['INVALID_ARGUMENT', 'INVALID_REQUEST'], id);
    assertSaid(await call('Reserve', reserve(id)), ['INVALID_ARGUMENT', 'INVALID_REQUEST'], id);
  }
});

test('a field or a parameter that nobody knows is 400 with its place', async () => {
  const good = { store_id: sku.storeId, lines: [{ sku_id: sku.skuId, quantity: 1 }] };
  const pointers = ({ facts }: EdgeSaid): unknown[] =>
    (facts.errors as { pointer?: string }[]).map((one) => one.pointer);
  const bodies: [body: object, place: string][] = [
    [{ ...good, coupon: 'FREE' }, '#/coupon'],
    [{ ...good, user_id: 'ada' }, '#/user_id'],
    [{ ...good, channel: 'STAFF' }, '#/channel'],
    [{ ...good, lines: [{ ...good.lines[0], unit_price_minor: 0 }] }, '#/lines/0/unit_price_minor'],
  ];
  for (const [body, place] of bodies) {
    const said = await post(body);
    assertSaid(said, [400, 'INVALID_REQUEST'], place);
    assert.equal(pointers(said), [place]);
  }
  assertSaid(
    await post({ state: 'CONFIRMED' }, `/v1/orders/${randomUUID()}:cancel`),
    [400, 'INVALID_REQUEST'],
    'cancel',
  );
  for (const path of [`/v1/skus/${sku.skuId}?x=1`, '/v1/me/orders?user_id=ada', `/v1/stores/store-1/skus?sql=1`]) {
    assertSaid(await get(path), [400, 'INVALID_REQUEST'], path);
  }
});

test('10,000 bytes of headers are 431, and over gRPC what stands in them is refused', async () => {
  const long = 'x'.repeat(10_000);
  for (const name of ['x-long', 'authorization', 'idempotency-key', 'cookie', 'last-event-id']) {
    assertSaid(await get(`/v1/skus/${sku.skuId}`, [name, long]), [431, 'INVALID_REQUEST'], name);
  }
  const many = Array.from({ length: 1_000 }, (_, i): Header => [`x-${i}`, 'many']);
  assertSaid(await get(`/v1/skus/${sku.skuId}`, ...many), [431, 'INVALID_REQUEST'], 'many');
  const call = (...headers: Header[]): Promise<EdgeSaid> =>
    callGrpc(mesh.gatewayAddresses[0] ?? '', { method: `${reservations}/GetOrder`, headers });
  assertSaid(await call(['authorization', `Bearer ${long}`]), ['UNAUTHENTICATED', 'TOKEN_INVALID'], 'token');
  const service: Header = ['authorization', bearerOf('front', { role: 'SERVICE' })];
  const person = await call(service, ['holdfast-for-user', long]);
  assertSaid(person, ['INVALID_ARGUMENT', 'INVALID_REQUEST'], 'person');
});

test('a body that is compressed is 415 wherever there is one', async () => {
  const bomb = gzipSync(Buffer.alloc(20_000_000));
  for (const path of ['/v1/orders', '/v1/request-ids', `/v1/orders/${randomUUID()}:cancel`]) {
    for (const coding of ['gzip', 'deflate', 'br', 'gzip, gzip']) {
      const headers = [eve, json, key(), ['content-encoding', coding] as const];
      const said = await askHttp(mesh.http, { method: 'POST', path, headers, body: bomb });
      assertSaid(said, [415, 'CONTENT_TYPE_UNSUPPORTED'], `${path} ${coding}`);
    }
  }
});

test.run();
