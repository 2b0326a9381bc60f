import { Order } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import {
  type GetOrderResponse,
  OrderServiceDefinition,
  type WatchOrderResponse,
} from '#libs/contracts/gen/holdfast/order/v1/order_service.js';
import { Fault } from '#libs/refusal/fault.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { connect } from './client.js';
import { type RpcServer, startServer } from './server.js';
import { implement, type ServerStreamHandler } from './service.js';
import { silentLogger } from './stand-in.js';

const test = suite('server stream');

type Watch = ServerStreamHandler<{ orderId: string }, WatchOrderResponse>;

let server: RpcServer | undefined;
let client: ReturnType<typeof connect<typeof OrderServiceDefinition>> | undefined;

test.after.each(async () => {
  client?.close();
  await server?.drain();
});

async function serve(watchOrder: Watch) {
  const missing = async (): Promise<never> => {
    throw new Fault('INTERNAL', 'not part of this test');
  };
  const service = implement(OrderServiceDefinition, {
    getOrder: async (): Promise<GetOrderResponse> => ({ order: undefined }),
    listOrders: missing,
    watchOrder,
    cancelOrder: missing,
    confirmPayment: missing,
    endCancelledSales: missing,
    expireDue: missing,
    ...{ startPayment: missing, failPayment: missing, recordRefund: missing, applyParkedPayments: missing },
    ...{ endPaymentSessions: missing },
    ...{ cancelOrderLines: missing, moveOrder: missing, extendHold: missing },
  });
  server = await startServer({ address: '127.0.0.1:0', services: [service], logger: silentLogger, drainMs: 50 });
  client = connect(OrderServiceDefinition, server.address, { defaultDeadlineMs: 5_000 });
  return client;
}

const watched = { orderId: 'order-1', userId: '' };

test('what the handler yields arrives in order, then the end', async () => {
  const orders = await serve(async function* () {
    for (let i = 0; i < 100; i += 1) yield { order: undefined };
  });
  let count = 0;
  for await (const _ of orders.watchOrder(watched)) count += 1;
  assert.is(count, 100);
});

test('a fault after some messages arrives after them', async () => {
  const orders = await serve(async function* () {
    yield { order: undefined };
    throw new Fault('ORDER_NOT_FOUND', 'it is gone', { metadata: { order_id: 'order-1' } });
  });
  let count = 0;
  try {
    for await (const _ of orders.watchOrder(watched)) count += 1;
    assert.unreachable();
  } catch (error) {
    assert.is((error as Fault).reason, 'ORDER_NOT_FOUND');
    assert.equal((error as Fault).metadata, { order_id: 'order-1' });
  }
  assert.is(count, 1);
});

test('a caller that stops reading ends the handler', async () => {
  let ended = false;
  const orders = await serve(async function* (_, call) {
    try {
      while (!call.signal.aborted) {
        yield { order: undefined };
        await new Promise((resolve) => setImmediate(resolve));
      }
    } finally {
      ended = true;
    }
  });
  for await (const _ of orders.watchOrder(watched)) break;
  await until(() => ended);
});

test('a caller that is too slow to read is waited for, not buffered for', async () => {
  let yielded = 0;
  const large = Buffer.alloc(1_000, 'x').toString();
  const orders = await serve(async function* (_, call) {
    while (!call.signal.aborted) {
      yielded += 1;
      yield { order: { ...Order.decode(Buffer.alloc(0)), orderId: large } };
    }
  });
  const stream = orders.watchOrder(watched)[Symbol.asyncIterator]();
  await stream.next();
  let before = -1;
  await until(() => {
    const still = yielded === before;
    before = yielded;
    return still;
  });
  assert.ok(yielded < 100_000);
  await stream.return?.();
});

test('a stream ends TOO_LATE at its deadline', async () => {
  const orders = await serve(async function* (_, call) {
    yield { order: undefined };
    await until(() => call.signal.aborted);
  });
  try {
    for await (const _ of orders.watchOrder(watched, { deadlineMs: 50 }));
    assert.unreachable();
  } catch (error) {
    assert.is((error as Fault).reason, 'TOO_LATE');
  }
});

test.run();
