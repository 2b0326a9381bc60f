import { randomUUID } from 'node:crypto';
import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { credentials, Client as GrpcClient, Metadata, type ServiceError } from '@grpc/grpc-js';
import {
  InventoryServiceDefinition,
  type PlaceHoldsItem,
  type PlaceHoldsRequest,
  type PlaceHoldsResponse,
  type PlaceHoldsResult,
} from '#libs/contracts/gen/holdfast/inventory/v1/inventory_service.js';
import { orderId } from '#libs/contracts/order-id.js';
import { Fault } from '#libs/refusal/fault.js';
import { BatchCaller } from '#libs/rpc/batch-caller.js';
import { faultOfCall, fromStatus } from '#libs/rpc/status.js';
import { createLogger } from '#libs/runtime/logger.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import { bearerOf } from '#libs/testing/test-issuer.js';
import { unitsOf } from './edge-calls.js';
import { startTestMesh, type TestMesh } from './test-mesh.js';

const test = suite('bad input');
const hour = 3_600_000;
const long = 'x'.repeat(300);
const badIds = ['', long, '🎟️🎟️', 'a\u0000b', 'a b'];

let mesh: TestMesh;
let before: unknown;

test.before(async () => {
  mesh = await startTestMesh();
  const from = (ms: number): Date => new Date(Date.now() + ms);
  await mesh.ledger.sku({ skuId: 'slot', capacity: 5, perUserLimit: 5 });
  await mesh.ledger.sku({ skuId: 'elsewhere', storeId: 'store-2' });
  await mesh.ledger.sku({ skuId: 'dollars', currency: 'USD' });
  await mesh.ledger.sku({ skuId: 'later', onSaleAt: from(hour) });
  await mesh.ledger.sku({ skuId: 'over', offSaleAt: from(-hour) });
  await mesh.ledger.sku({ skuId: 'begun', startsAt: from(-hour), timeZone: 'Europe/Vienna' });
  before = await unitsOf(mesh.ledger.sql);
});
test.after.each(async () => assert.equal(await unitsOf(mesh.ledger.sql), before, 'units moved'));
test.after(() => mesh.close());

interface Line {
  sku_id: string;
  quantity: unknown;
  attendee_id?: string;
}
const line: Line = { sku_id: 'slot', quantity: 1 };

interface Problem {
  status: number;
  reason: unknown;
  places: unknown[];
  body: Record<string, unknown>;
}

async function post(body: unknown, headers: Record<string, string | undefined> = {}): Promise<Problem> {
  const all = {
    'content-type': 'application/json',
    authorization: bearerOf('ana'),
    'idempotency-key': randomUUID(),
    ...headers,
  };
  const response = await fetch(`${mesh.http}/v1/orders`, {
    method: 'POST',
    headers: Object.entries(all).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] as [string, string]],
    ),
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const problem = (await response.json()) as Record<string, unknown>;
  const errors = (problem.errors ?? []) as { pointer?: string; header?: string }[];
  const places = errors.map(({ pointer, header }) => pointer ?? header);
  return { status: response.status, reason: problem.reason, places, body: problem };
}

const asStaff = { authorization: bearerOf('sam', { role: 'STAFF', stores: ['store-1'] }) };
const order = (...lines: Line[]) => ({ store_id: 'store-1', lines });

test('over HTTP each bad request is refused with every place that is wrong', async () => {
  const cases: [what: string, ask: () => Promise<Problem>, status: number, places: string[]][] = [
    ['no lines', () => post(order()), 400, ['#/lines']],
    ['101 lines', () => post(order(...new Array<Line>(101).fill(line))), 400, ['#/lines']],
    ['no body', () => post(''), 400, ['']],
    ['broken JSON', () => post('{"store_id": "store-1", "lines": ['), 400, ['']],
    ['an unknown field', () => post({ ...order(line), coupon: 'x' }), 400, ['#/coupon']],
    ['an unknown field of a line', () => post(order({ ...line, price: 1 } as Line)), 400, ['#/lines/0/price']],
    ['no key', () => post(order(line), { 'idempotency-key': undefined }), 400, ['Idempotency-Key']],
    ['a long key', () => post(order(line), { 'idempotency-key': long }), 400, ['Idempotency-Key']],
    ['a user with a long id', () => post(order(line), { authorization: bearerOf(long) }), 401, []],
    ['a token that is over', () => post(order(line), { authorization: bearerOf('ana', { seconds: -60 }) }), 401, []],
    ['a bad person', () => post(order(line), { ...asStaff, 'holdfast-for-user': 'a b' }), 400, ['Holdfast-For-User']],
    ['a person of somebody', () => post(order(line), { 'holdfast-for-user': 'ben' }), 403, []],
    ['another type', () => post('a=1', { 'content-type': 'application/x-www-form-urlencoded' }), 415, []],
    ['2 MB', () => post(`{"store_id":"${'x'.repeat(2_000_000)}"}`), 413, []],
    ['no user', () => post(order(line), { authorization: undefined }), 401, []],
  ];
  for (const id of badIds) {
    const bad = order({ sku_id: id, quantity: 0, attendee_id: id });
    const places = ['#/lines/0/sku_id', '#/lines/0/quantity', '#/lines/0/attendee_id', '#/store_id'];
    cases.push([`the id ${id}`, () => post({ ...bad, store_id: id }), 400, places]);
  }
  for (const [what, ask, status, places] of cases) assertRefused(await ask(), { what, status, places });
});

test('A29: over HTTP a quantity is a whole number from 1 to a million', async () => {
  for (const quantity of ['0', '-3', '2.5', '"1e9"', '2147483648', 'null', '1e9', 'true', '[1]']) {
    const answer = await post(`{"store_id":"store-1","lines":[{"sku_id":"slot","quantity":${quantity}}]}`);
    assertRefused(answer, { what: quantity, status: 400, places: ['#/lines/0/quantity'] });
  }
  const nan = await post('{"store_id":"store-1","lines":[{"sku_id":"slot","quantity":NaN}]}');
  assertRefused(nan, { what: 'NaN', status: 400, places: [''] });
});

test('over gRPC each bad request is INVALID_ARGUMENT with every field that is wrong', async () => {
  const good = { storeId: 'store-1', requestId: 'key', lines: [grpcLine()] };
  const cases: [what: string, request: typeof good, user: string, fields: string[]][] = [
    ['no lines', { ...good, lines: [] }, 'ana', ['lines']],
    ['101 lines', { ...good, lines: new Array(101).fill(grpcLine()) }, 'ana', ['lines']],
    ['no key', { ...good, requestId: '' }, 'ana', ['request_id']],
  ];
  for (const id of badIds) {
    const lines = [grpcLine(), grpcLine({ skuId: id, quantity: 0, attendeeId: id || ' ' })];
    const fields = ['store_id', 'request_id', 'lines[1].sku_id', 'lines[1].quantity', 'lines[1].attendee_id'];
    cases.push([`the id ${id}`, { storeId: id, requestId: id, lines }, 'ana', fields]);
  }
  for (const [what, request, user, fields] of cases) {
    const fault = await rejectionOf(
      mesh.gateway.reserve(request, { metadata: { authorization: bearerOf(user) } }),
      Fault,
    );
    assert.equal([fault.reason, fieldsOf(fault)], ['INVALID_REQUEST', fields], what);
  }
});

test('A29: over gRPC a quantity is refused however it is written on the wire', async () => {
  const quantities: [what: string, write: (writer: BinaryWriter) => BinaryWriter][] = [
    ['absent', (writer) => writer],
    ['0', (writer) => writer.uint32(16).int32(0)],
    ['-3', (writer) => writer.uint32(16).int32(-3)],
    ['2^31', (writer) => writer.uint32(16).uint32(2 ** 31)],
    ['2^40', (writer) => writer.uint32(16).uint64(2 ** 40)],
    ['2.5', (writer) => writer.uint32(17).double(2.5)],
    ['NaN', (writer) => writer.uint32(17).double(Number.NaN)],
    ['1e9', (writer) => writer.uint32(18).string('1e9')],
  ];
  for (const [what, write] of quantities) {
    const lineBytes = write(new BinaryWriter().uint32(10).string('slot')).finish();
    const request = new BinaryWriter().uint32(10).string('store-1').uint32(18).bytes(lineBytes);
    const fault = await rejectionOf(reserveRaw(request.uint32(26).string('key').finish()), Fault);
    assert.equal([fault.reason, fieldsOf(fault)], ['INVALID_REQUEST', ['lines[0].quantity']], what);
  }
});

test('over gRPC what is no message, or too long a one, is INVALID_ARGUMENT', async () => {
  for (const [what, bytes] of [
    ['broken', Buffer.from([10, 255, 255])],
    ['no text', Buffer.from([10, 2, 0xc3, 0x28])],
    ['2 MB', new BinaryWriter().uint32(10).string('x'.repeat(2_000_000)).finish()],
  ] as const) {
    assert.is((await rejectionOf(reserveRaw(bytes), Fault)).reason, 'INVALID_REQUEST', what);
  }
});

test('A29: past the edge, inventory and the ledger refuse it again', async () => {
  const stream = new BatchCaller<PlaceHoldsItem, PlaceHoldsResult, PlaceHoldsRequest, PlaceHoldsResponse>({
    service: InventoryServiceDefinition,
    method: InventoryServiceDefinition.methods.placeHolds,
    target: mesh.inventoryAddresses.join(),
    wrap: (items) => ({ items }),
    results: ({ results }) => results,
    logger: createLogger('test', 'silent'),
  });
  const place = async (...lines: ReturnType<typeof grpcLine>[]): Promise<string | undefined> => {
    const who = { storeId: 'store-1', userId: 'ana', requestId: randomUUID() };
    const hold = { ...who, orderId: orderId(who.storeId, who.userId, who.requestId), lines };
    const { outcome } = await stream.call(hold, 3_000);
    return outcome?.$case === 'error' ? fromStatus(outcome.value).reason : outcome?.$case;
  };
  for (const quantity of [0, -3, -(2 ** 31), 2 ** 31 - 1]) {
    assert.is(await place(grpcLine({ quantity, attendeeId: 'ana' })), 'INVALID_REQUEST', `${quantity}`);
  }
  assert.is(await place(), 'INVALID_REQUEST');
  assert.is(await place(...new Array(101).fill(grpcLine({ attendeeId: 'ana' }))), 'INVALID_REQUEST');
  stream.close();
});

test('skus that are not there, of two stores or of two currencies are no order', async () => {
  const unknown = await post(order({ sku_id: 'nothing', quantity: 1 }));
  assert.equal([unknown.status, unknown.reason, unknown.body.sku_id], [404, 'SKU_NOT_FOUND', 'nothing']);
  const twoStores = await post(order(line, { sku_id: 'elsewhere', quantity: 1 }));
  assert.equal([twoStores.status, twoStores.reason, twoStores.body.sku_id], [404, 'SKU_NOT_FOUND', 'elsewhere']);
  const twoCurrencies = await post(order(line, { sku_id: 'dollars', quantity: 1 }));
  assert.equal([twoCurrencies.status, twoCurrencies.reason], [400, 'CURRENCY_MIXED']);
});

test('out of its time a sku is not on sale, and the answer says why', async () => {
  const later = await post(order({ sku_id: 'later', quantity: 1 }));
  assert.equal([later.status, later.reason], [409, 'NOT_ON_SALE']);
  assert.ok(Date.parse(String(later.body.opens_at)) > Date.now());
  const over = await post(order({ sku_id: 'over', quantity: 1 }));
  assert.equal([over.status, over.reason], [409, 'NOT_ON_SALE']);
  assert.ok(Date.parse(String(over.body.closed_at)) < Date.now());
  const begun = await post(order({ sku_id: 'begun', quantity: 1 }));
  assert.equal([begun.status, begun.reason, begun.body.slot_past], [409, 'NOT_ON_SALE', true]);
});

test('after all of it the mesh still sells', async () => {
  const held = await post(order(line));
  assert.equal([held.status, held.body.state], [201, 'HELD']);
  before = await unitsOf(mesh.ledger.sql);
});

function assertRefused(answer: Problem, expected: { what: string; status: number; places: string[] }): void {
  const { what, status, places } = expected;
  assert.is(answer.status, status, what);
  assert.is(answer.body.status, status, what);
  assert.match(String(answer.reason), /^[A-Z][A-Z_]+$/, what);
  assert.equal(answer.places.toSorted(), places.toSorted(), what);
}

function grpcLine(parts: { skuId?: string; quantity?: number; attendeeId?: string } = {}) {
  return { skuId: 'slot', quantity: 1, attendeeId: '', unitPriceMinor: 0, ...parts };
}

/** Sends bytes as they are. Rejects with the fault that the gateway answers. */
async function reserveRaw(bytes: Uint8Array): Promise<void> {
  const client = new GrpcClient(mesh.gatewayAddresses[0] ?? '', credentials.createInsecure());
  const metadata = new Metadata();
  metadata.set('authorization', bearerOf('ana'));
  const asIs = (given: Buffer): Buffer => given;
  const path = '/holdfast.reservation.v1.ReservationService/Reserve';
  const options = { deadline: Date.now() + 5_000 };
  const error = await new Promise<ServiceError | null>((resolve) => {
    client.makeUnaryRequest(path, asIs, asIs, Buffer.from(bytes), metadata, options, resolve);
  });
  client.close();
  if (error !== null) throw faultOfCall(error);
}

function fieldsOf(fault: Fault): string[] {
  return fault.violations.map(({ field }) => field);
}

test.run();
