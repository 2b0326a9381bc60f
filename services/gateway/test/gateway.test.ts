import { Client, credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import { type Order, OrderState, PaymentState } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import { ReservationServiceDefinition } from '#libs/contracts/gen/holdfast/reservation/v1/reservation_service.js';
import { orderId } from '#libs/contracts/order-id.js';
import { Fault } from '#libs/refusal/fault.js';
import { connect, type Client as RpcClient } from '#libs/rpc/client.js';
import type { RpcServer } from '#libs/rpc/server.js';
import { fromStatus } from '#libs/rpc/status.js';
import { Lifecycle } from '#libs/runtime/lifecycle.js';
import { createLogger } from '#libs/runtime/logger.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import { testIdentity } from '#libs/testing/test-issuer.js';
import { readConfig } from '../src/config.js';
import { startGateway } from '../src/service.js';
import { emptyBooks, type FakeBooks, orderOf, type Place, startFakeInventory, startFakeOrders } from './fake-peers.js';
import { as, reserveStream } from './gateways-under-test.js';

const test = suite('gateway');
const logger = createLogger('test', 'silent');
const front = as('front', { role: 'SERVICE' });
const request = {
  storeId: 'store-1',
  requestId: 'key-1',
  lines: [{ skuId: 'sku-1', quantity: 1, attendeeId: '', unitPriceMinor: 0 }],
};
const id = orderId('store-1', 'ana', 'key-1');

let books: FakeBooks;
let orders: RpcServer;
let inventories: RpcServer[];
let life: Lifecycle;
let address: string;
let client: RpcClient<typeof ReservationServiceDefinition>;

test.before.each(async () => {
  books = emptyBooks();
  inventories = [];
  orders = await startFakeOrders(books);
});
test.after.each(async () => {
  client.close();
  await life.close();
  await Promise.all([orders, ...inventories].map((server) => server.drain()));
});

/** Starts a gateway before inventories that answer as `places` say, one process each. */
async function start(...places: Place[]): Promise<void> {
  inventories = await Promise.all(places.map((place) => startFakeInventory(books, place)));
  life = new Lifecycle(logger);
  ({ grpcAddress: address } = await startGateway(
    readConfig({
      GRPC_ADDRESS: '127.0.0.1:0',
      ADMIN_ADDRESS: '127.0.0.1:0',
      INVENTORY_TARGET: inventories.map((inventory) => inventory.address).join(),
      ORDER_TARGET: orders.address,
      RATE_PER_SECOND: '1000000',
      USER_RATE_PER_SECOND: '1000000',
      LOG_LEVEL: 'silent',
      ...testIdentity(),
    }),
    life,
  ));
  client = connect(ReservationServiceDefinition, address, { defaultDeadlineMs: 5_000 });
}

/** Holds the order once, however often it is asked. */
const holding: Place = (item) => {
  const order = books.rows.get(item.orderId) ?? orderOf(item, OrderState.ORDER_STATE_HELD);
  books.rows.set(item.orderId, order);
  return { $case: 'held', value: order };
};

test('a reservation is answered with its order, and again with the same', async () => {
  await start(holding);
  const { outcome } = await client.reserve(request, as('ana'));
  assert.ok(outcome?.$case === 'held');
  assert.is(outcome.value.order?.orderId, id);
  assert.is(outcome.value.order?.userId, 'ana');
  assert.equal(await client.reserve(request, as('ana')), { outcome });
  assert.is(books.rows.size, 1);
});

test('a stream carries reservations of many users, each answered by its own', async () => {
  await start(holding);
  const stream = reserveStream(address);
  const users = Array.from({ length: 50 }, (_, i) => `user-${i}`);
  const results = await Promise.all(users.map((userId) => stream.call({ userId, request }, 5_000)));
  for (const [i, { result }] of results.entries()) {
    assert.ok(result?.$case === 'response' && result.value.outcome?.$case === 'held');
    assert.is(result.value.outcome.value.order?.userId, users[i]);
  }
  const { result } = await stream.call({ userId: 'ana', request: { ...request, lines: [] } }, 5_000);
  assert.ok(result?.$case === 'error');
  assert.equal(fieldsOf(fromStatus(result.value)), ['lines']);
  stream.close();
});

test('unary and stream are one path: the same key is the same order', async () => {
  await start(holding);
  const stream = reserveStream(address);
  await client.reserve(request, as('ana'));
  await stream.call({ userId: 'ana', request }, 5_000);
  assert.equal([...books.rows.keys()], [id]);
  assert.equal(
    books.placed.map((item) => item.orderId),
    [id, id],
  );
  stream.close();
});

test('whoever says not who they are, or names no user, is told', async () => {
  await start(holding);
  assert.is((await rejectionOf(client.reserve(request), Fault)).reason, 'TOKEN_MISSING');
  assert.is((await rejectionOf(client.getOrder({ orderId: id }), Fault)).reason, 'TOKEN_MISSING');
  assert.is((await rejectionOf(client.reserve(request, as('x'.repeat(129))), Fault)).reason, 'TOKEN_INVALID');
  const fault = await rejectionOf(client.reserve(request, as('front', { role: 'SERVICE' }, 'a b')), Fault);
  assert.equal(fieldsOf(fault), ['holdfast-for-user']);
  assert.is(books.placed.length, 0);
});

test('every violation of a request arrives with its field', async () => {
  await start(holding);
  const line = { skuId: '', quantity: -3, attendeeId: '🎟', unitPriceMinor: 0 };
  const fault = await rejectionOf(client.reserve({ storeId: ' ', requestId: '', lines: [line] }, as('ana')), Fault);
  assert.is(fault.reason, 'INVALID_REQUEST');
  assert.equal(fieldsOf(fault), [
    'store_id',
    'request_id',
    'lines[0].sku_id',
    'lines[0].quantity',
    'lines[0].attendee_id',
  ]);
});

test('H02: when inventory breaks off, another takes the same order: one effect', async () => {
  let effects = 0;
  const breaking: Place = (item) => {
    effects += books.rows.has(item.orderId) ? 0 : 1;
    void holding(item);
    return 'break';
  };
  const held: Place = (item) => {
    effects += books.rows.has(item.orderId) ? 0 : 1;
    return holding(item);
  };
  await start(breaking, held, breaking, breaking);
  for (let i = 0; i < 8; i += 1) {
    const { outcome } = await client.reserve({ ...request, requestId: `key-${i}` }, as('ana'));
    assert.is(outcome?.$case, 'held');
  }
  assert.is(effects, 8);
  assert.is(books.rows.size, 8);
  assert.ok(books.placed.length > 8);
});

test('H02: an outcome nobody learns is UNAVAILABLE with a time to ask again', async () => {
  await start(() => 'break');
  const fault = await rejectionOf(client.reserve(request, { ...as('ana'), deadlineMs: 1_500 }), Fault);
  assert.is(fault.reason, 'UNAVAILABLE');
  assert.ok((fault.retryAfterMs ?? 0) > 0);
  assert.equal([...new Set(books.placed.map((item) => item.orderId))], [id]);
});

test('H01: who gives up at the deadline finds the order by the same key', async () => {
  let isSlow = true;
  await start((item) => {
    const outcome = holding(item);
    return isSlow ? 'never' : outcome;
  });
  const fault = await rejectionOf(client.reserve(request, { ...as('ana'), deadlineMs: 200 }), Fault);
  assert.is(fault.reason, 'TOO_LATE');
  isSlow = false;
  const { outcome } = await client.reserve(request, as('ana'));
  assert.is(outcome?.$case, 'held');
  assert.equal([...books.rows.keys()], [id]);
});

test('an attempt is told less time than is waited for it, three seconds at most', async () => {
  await start(holding);
  await client.reserve(request, { ...as('ana'), deadlineMs: 60_000 });
  await client.reserve(request, { ...as('ana'), deadlineMs: 1_000 });
  const [long = 0, short = 0] = books.placed.map((item) => item.remainingMs);
  assert.ok(long > 1_500 && long <= 3_000, `${long}`);
  assert.ok(short > 0 && short <= 900, `${short}`);
});

test('an order that has no row yet is PENDING to its own user, and nothing to others', async () => {
  await start(holding);
  books.claims.set(id, orderOf({ orderId: id, userId: 'ana' }, OrderState.ORDER_STATE_PENDING));
  const { order } = await client.getOrder({ orderId: id }, as('ana'));
  assert.is(order?.state, OrderState.ORDER_STATE_PENDING);
  assert.is((await rejectionOf(client.getOrder({ orderId: id }, as('ben')), Fault)).reason, 'ORDER_NOT_FOUND');
});

test('while the journal cannot be read an order without a row is UNAVAILABLE, never NOT_FOUND', async () => {
  await start(holding);
  books.journalIsAway = true;
  assert.is((await rejectionOf(client.getOrder({ orderId: id }, as('ana')), Fault)).reason, 'UNAVAILABLE');
});

test('an id that no order can have is NOT_FOUND, one that is no id is invalid', async () => {
  await start(holding);
  assert.is((await rejectionOf(client.getOrder({ orderId: 'nope' }, as('ana')), Fault)).reason, 'ORDER_NOT_FOUND');
  const fault = await rejectionOf(client.getOrder({ orderId: '\u0000' }, as('ana')), Fault);
  assert.equal(fieldsOf(fault), ['order_id']);
});

test('changes of an order that is not decided are ORDER_PENDING with a time to come again', async () => {
  await start(holding);
  books.claims.set(id, orderOf({ orderId: id, userId: 'ana' }, OrderState.ORDER_STATE_PENDING));
  const cancel = { orderId: id, requestId: 'cancel-1', reason: '' };
  for (const change of [client.cancelOrder(cancel, as('ana')), client.startPayment(cancel, as('ana'))]) {
    const fault = await rejectionOf<Fault>(change, Fault);
    assert.is(fault.reason, 'ORDER_PENDING');
    assert.ok((fault.retryAfterMs ?? 0) > 0);
  }
  const fault = await rejectionOf(client.cancelOrder(cancel, as('ben')), Fault);
  assert.is(fault.reason, 'ORDER_NOT_FOUND');
});

test('I07: money of an order that is not decided is taken to the order service all the same', async () => {
  await start(holding);
  books.claims.set(id, orderOf({ orderId: id, userId: 'ana' }, OrderState.ORDER_STATE_PENDING));
  const payment = { orderId: id, requestId: 'pay-1', provider: 'p', providerPaymentId: 'pi-1' };
  const { order, paymentState } = await client.confirmPayment(
    { ...payment, amountMinor: 1_500, currency: 'EUR' },
    front,
  );
  assert.equal([order, paymentState], [undefined, PaymentState.PAYMENT_STATE_CAPTURED]);
});

test('an order with a row is cancelled and paid by the order service', async () => {
  await start(holding);
  await client.reserve(request, as('ana'));
  const payment = { orderId: id, requestId: 'pay-1', provider: 'p', providerPaymentId: 'pi-1' };
  const paid = await client.confirmPayment({ ...payment, amountMinor: 1_500, currency: 'EUR' }, front);
  assert.is(paid.order?.state, OrderState.ORDER_STATE_CONFIRMED);
  const { order } = await client.cancelOrder({ orderId: id, requestId: 'cancel-1', reason: '' }, as('ana'));
  assert.is(order?.state, OrderState.ORDER_STATE_CANCELLED);
});

test('a watched order is PENDING first, then as its row says', async () => {
  await start(holding);
  books.claims.set(id, orderOf({ orderId: id, userId: 'ana' }, OrderState.ORDER_STATE_PENDING));
  const seen: (OrderState | undefined)[] = [];
  for await (const { order } of client.watchOrder({ orderId: id }, as('ana'))) {
    seen.push(order?.state);
    const row = orderOf({ orderId: id, userId: 'ana' }, OrderState.ORDER_STATE_HELD);
    if (books.claims.delete(id)) books.rows.set(id, row);
  }
  assert.equal(seen, [OrderState.ORDER_STATE_PENDING, OrderState.ORDER_STATE_HELD]);
});

test('orders are listed to their user, and by sku to operators', async () => {
  await start(holding);
  await client.reserve(request, as('ana'));
  const list = (what: { userId?: string; skuId?: string }, who: ReturnType<typeof as>): Promise<{ orders: Order[] }> =>
    client.listOrders({ userId: '', skuId: '', pageSize: 0, pageToken: '', ...what }, who);
  assert.is((await list({ userId: 'ana' }, as('ana'))).orders.length, 1);
  assert.is((await list({ skuId: 'sku-1' }, as('olga', { role: 'OPERATOR' }))).orders.length, 1);
  for (const what of [{ userId: 'ben' }, { skuId: 'sku-1' }]) {
    assert.is((await rejectionOf(list(what, as('ana')), Fault)).reason, 'PERMISSION_DENIED');
  }
});

test('a page has at most 500 items', async () => {
  await start(holding);
  const always = { startsAfter: undefined, startsBefore: undefined };
  const page = await client.listSkus({ storeId: 'store-1', pageSize: 100_000, pageToken: '', ...always });
  assert.is(page.nextPageToken, 'asked for 500');
});

test('nothing of the inside can be called', async () => {
  await start(holding);
  const raw = new Client(address, credentials.createInsecure());
  const path = '/holdfast.inventory.v1.InventoryService/Sweep';
  const asIs = (bytes: Buffer): Buffer => bytes;
  const error = await new Promise<ServiceError | null>((resolve) => {
    raw.makeUnaryRequest(path, asIs, asIs, Buffer.alloc(0), new Metadata(), { deadline: Date.now() + 5_000 }, resolve);
  });
  raw.close();
  assert.is(error?.code, 12);
});

function fieldsOf(fault: Fault): string[] {
  return fault.violations.map(({ field }) => field);
}

test.run();
