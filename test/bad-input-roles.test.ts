import { randomUUID } from 'node:crypto';
import {
  CancelOrderRequest,
  GetOrderRequest,
  MoveOrderRequest,
  WatchOrderRequest,
} from '#libs/contracts/gen/holdfast/reservation/v1/reservation_service.js';
import { assert, suite } from '#libs/testing/suite.js';
import { bearerOf } from '#libs/testing/test-issuer.js';
import { permissions } from '../services/gateway/src/domain/permissions.js';
import { type Ask, askHttp, assertSaid, callGrpc, type EdgeSaid, type Header, unitsOf } from './edge-calls.js';
import { type OnSale, onSale, somebody } from './on-sale.js';
import { pressHttp } from './press.js';
import { startTestMesh, type TestMesh } from './test-mesh.js';

const test = suite('bad input: who may');
const reservations = 'holdfast.reservation.v1.ReservationService';
const generous = { perSecond: 1_000, burst: 1_000 };

let mesh: TestMesh;
let sku: OnSale;
/** Ada's. */
let orderId: string;
let entryId: string;
let before: unknown;

test.before(async () => {
  // With a payment provider: without one nobody is told whose order it is.
  mesh = await startTestMesh({ sandbox: true });
  sku = await onSale(mesh, generous);
  orderId = String((await pressHttp(mesh.http, { ...somebody(sku), user: 'ada' })).body.order_id);
  const last = await onSale(mesh, generous, { capacity: 1, onSoldOut: 'JOIN_WAITLIST' });
  await pressHttp(mesh.http, somebody(last));
  entryId = String((await pressHttp(mesh.http, { ...somebody(last), user: 'ada', key: 'wait' })).body.entry_id);
  before = await unitsOf(mesh.ledger.sql);
});
test.after.each(async () => assert.equal(await unitsOf(mesh.ledger.sql), before, 'units moved'));
test.after(() => mesh.close());

const eve: Header = ['authorization', bearerOf('eve')];
const sam: Header = ['authorization', bearerOf('sam', { role: 'STAFF', stores: ['store-1'] })];
/** Of another store. */
const tom: Header = ['authorization', bearerOf('tom', { role: 'STAFF', stores: ['store-2', 'store-3'] })];
const service: Header = ['authorization', bearerOf('front', { role: 'SERVICE' })];
const forEve: Header = ['holdfast-for-user', 'eve'];
const unknown = '0a1b0000-0000-8000-8000-000000000001';

function change(who: readonly Header[], path: string, body: object = {}, method = 'POST'): Ask {
  const headers: Header[] = [...who, ['content-type', 'application/json'], ['idempotency-key', randomUUID()]];
  return { method, path, headers, body: JSON.stringify(body) };
}

/** What its user, staff and services may ask of an order. */
function asksOf(id: string, who: readonly Header[]): Ask[] {
  const path = `/v1/orders/${id}`;
  return [
    { path, headers: who },
    { path: `${path}/events`, headers: who },
    change(who, `${path}:cancel`),
    change(who, `${path}/cancel-lines`, { lines: [{ sku_id: sku.skuId, quantity: 1 }] }),
    change(who, `${path}/move`, { to_sku_id: sku.skuId }),
  ];
}

/** What only its user may ask. */
function ownAsksOf(id: string, who: readonly Header[]): Ask[] {
  const path = `/v1/orders/${id}`;
  return [change(who, `${path}/extend`), change(who, `${path}/payment`)];
}

/** An answer without what names the request and the order. */
function wordsOf({ code, facts }: EdgeSaid): string {
  const { request_id: _, ...rest } = facts;
  return JSON.stringify({ code, ...rest })
    .replaceAll(orderId, 'ID')
    .replaceAll(unknown, 'ID');
}

test('over HTTP the order of another is 404 to the letter as one that does not exist', async () => {
  for (const who of [[eve], [service, forEve]]) {
    const foreign = [...asksOf(orderId, who), ...ownAsksOf(orderId, who)];
    const absent = [...asksOf(unknown, who), ...ownAsksOf(unknown, who)];
    for (const [i, ask] of foreign.entries()) {
      const said = await askHttp(mesh.http, ask);
      assertSaid(said, [404, 'ORDER_NOT_FOUND'], ask.path);
      assert.equal(wordsOf(said), wordsOf(await askHttp(mesh.http, absent[i] as Ask)), ask.path);
    }
  }
  assertSaid(await askHttp(mesh.http, { path: `/v1/orders/${orderId}`, headers: [sam] }), [200, 'OK'], 'staff');
});

test('over HTTP staff of another store find no such order, and book nothing there', async () => {
  for (const ask of asksOf(orderId, [tom])) {
    assertSaid(await askHttp(mesh.http, ask), [404, 'ORDER_NOT_FOUND'], ask.path);
  }
  for (const ask of ownAsksOf(orderId, [tom])) {
    assertSaid(await askHttp(mesh.http, ask), [403, 'PERMISSION_DENIED'], ask.path);
  }
  const wish = { store_id: sku.storeId, lines: [{ sku_id: sku.skuId, quantity: 1 }] };
  const reserve = (who: Header[], more = {}) => askHttp(mesh.http, change(who, '/v1/orders', { ...wish, ...more }));
  assertSaid(await reserve([tom, forEve]), [403, 'PERMISSION_DENIED'], 'for a person');
  assertSaid(await reserve([tom, forEve], { force_reason: 'please' }), [403, 'PERMISSION_DENIED'], 'by force');
  assertSaid(await reserve([eve], { force_reason: 'please' }), [403, 'PERMISSION_DENIED'], 'a user by force');
});

test('the place of another in a waitlist is not found', async () => {
  const path = `/v1/waitlist/${entryId}`;
  const asks = [
    { path, headers: [eve] },
    { path: `${path}/events`, headers: [eve] },
    change([eve], path, {}, 'DELETE'),
    change([eve], `${path}:accept`),
  ];
  for (const ask of asks) {
    assertSaid(await askHttp(mesh.http, ask), [404, 'WAITLIST_ENTRY_NOT_FOUND'], `${ask.method} ${ask.path}`);
  }
});

function call(method: string, headers: readonly Header[], bytes?: Uint8Array): Promise<EdgeSaid> {
  return callGrpc(mesh.gatewayAddresses[0] ?? '', { method, headers, ...(bytes && { bytes }) });
}

test('over gRPC the order of another is NOT_FOUND', async () => {
  const id = { orderId };
  const asks: [string, Uint8Array][] = [
    ['GetOrder', GetOrderRequest.encode(id).finish()],
    ['WatchOrder', WatchOrderRequest.encode(id).finish()],
    ['CancelOrder', CancelOrderRequest.encode({ ...id, requestId: 'c', reason: '' }).finish()],
    ['MoveOrder', MoveOrderRequest.encode({ ...id, requestId: 'm', toSkuId: sku.skuId, fromSkuId: '' }).finish()],
  ];
  for (const [method, bytes] of asks) {
    for (const who of [[eve], [tom], [service, forEve]]) {
      assertSaid(await call(`${reservations}/${method}`, who, bytes), ['NOT_FOUND', 'ORDER_NOT_FOUND'], method);
    }
  }
});

test('what operators alone may is PERMISSION_DENIED to users, staff and services; what services may, to users', async () => {
  const only = (role: string): string[] =>
    Object.keys(permissions).filter((method) => permissions[method]?.join() === role);
  const denied = ['PERMISSION_DENIED', 'PERMISSION_DENIED'] as const;
  const operators = only('OPERATOR');
  assert.ok(operators.length > 30, `${operators.length} methods`);
  for (const method of operators) {
    for (const who of [eve, sam, service]) assertSaid(await call(method, [who]), denied, `${who[1]} ${method}`);
  }
  for (const method of only('SERVICE')) {
    for (const who of [eve, sam]) assertSaid(await call(method, [who]), denied, `${who[1]} ${method}`);
  }
});

test.run();
