import { Client, credentials, Metadata, type ServiceError, status as statusCode } from '@grpc/grpc-js';
import { InventoryServiceDefinition } from '#libs/contracts/gen/holdfast/inventory/v1/inventory_service.js';
import { Sku } from '#libs/contracts/gen/holdfast/inventory/v1/sku.js';
import { Order } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import { Fault } from '#libs/refusal/fault.js';
import { faultProxy } from '#libs/testing/fault-proxy.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { connect } from './client.js';
import { type RpcServer, startServer } from './server.js';
import type { Handlers } from './service.js';
import { recordedLog, silentLogger, standIn } from './stand-in.js';
import { hasDetails } from './status.js';

const test = suite('service');

const imported = { created: 0, changed: 0, unchanged: 0, failures: [] };
const path = (method: string): string => `/holdfast.inventory.v1.InventoryService/${method}`;
const asIs = (bytes: Buffer): Buffer => bytes;

let server: RpcServer | undefined;
const clients: { close(): void }[] = [];

test.after.each(async () => {
  for (const client of clients.splice(0)) client.close();
  await server?.drain();
  server = undefined;
});

async function serve(handlers: Partial<Handlers<typeof InventoryServiceDefinition>>, logger = silentLogger) {
  server = await startServer({
    address: '127.0.0.1:0',
    services: [standIn(handlers)],
    logger,
    drainMs: 100,
    maxRequestBytes: 10_000,
  });
  const client = connect(InventoryServiceDefinition, server.address, { defaultDeadlineMs: 5_000 });
  const raw = new Client(server.address, credentials.createInsecure());
  clients.push(client, raw);
  return { client, raw, entries: [] };
}

async function faultOf(call: Promise<unknown>): Promise<Fault> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  assert.instance(error, Fault);
  return error as Fault;
}

/** Sends bytes as they are and gives the error they are answered with. */
function errorFor(raw: Client, method: string, bytes: Buffer): Promise<ServiceError> {
  return new Promise((resolve, reject) => {
    raw.makeUnaryRequest(path(method), asIs, asIs, bytes, new Metadata(), { deadline: Date.now() + 5_000 }, (error) =>
      error ? resolve(error) : reject(new Error('it was accepted')),
    );
  });
}

test('a request is answered', async () => {
  const { client } = await serve({ getClaim: async ({ orderId }) => ({ order: order(orderId) }) });
  const { order: got } = await client.getClaim({ orderId: 'order-1' });
  assert.is(got?.orderId, 'order-1');
});

test('a fault arrives with all that it says', async () => {
  const violations = Array.from({ length: 100 }, (_, i) => ({
    field: `lines[${i}].quantity`,
    description: 'must be at least 1',
  }));
  const { client } = await serve({
    getClaim: async () => {
      throw new Fault('INVALID_REQUEST', 'not like this', { violations, metadata: { count: '100' } });
    },
  });
  const fault = await faultOf(client.getClaim({ orderId: '' }));
  assert.is(fault.reason, 'INVALID_REQUEST');
  assert.is(fault.message, 'not like this');
  assert.equal(fault.violations, violations);
  assert.equal(fault.metadata, { count: '100' });
});

test('what a handler throws, at once or later, stays inside: the caller gets an id, the log the cause, once', async () => {
  const { logger, entries } = recordedLog();
  const { client } = await serve(
    {
      getSku: () => {
        throw new TypeError('password=secret');
      },
      getClaim: async () => {
        await new Promise(setImmediate);
        throw new TypeError('password=secret');
      },
    },
    logger,
  );
  for (const call of [client.getSku({ skuId: '' }), client.getClaim({ orderId: '' })]) {
    const fault = await faultOf(call);
    assert.is(fault.reason, 'INTERNAL');
    assert.not.match(JSON.stringify([fault.message, fault.metadata]), /secret/);
    const logged = entries.filter(({ faultId }) => faultId === fault.metadata.fault_id);
    assert.is(logged.length, 1);
    assert.match(JSON.stringify(logged), /secret/);
  }
});

test('a fault that a peer has logged keeps its id and is not logged again', async () => {
  const { logger, entries } = recordedLog();
  const { client } = await serve(
    {
      getClaim: async () => {
        throw new Fault('INTERNAL', 'x', { metadata: { fault_id: 'of the peer' } });
      },
    },
    logger,
  );
  const fault = await faultOf(client.getClaim({ orderId: '' }));
  assert.is(fault.metadata.fault_id, 'of the peer');
  assert.equal(
    entries.filter(({ level }) => level >= 50),
    [],
  );
});

test('bytes that are no message are the sender’s fault, and the server goes on', async () => {
  const { client, raw } = await serve({
    getClaim: async () => ({ order: undefined }),
    importSkus: async (requests) => ({ ...imported, created: await countOf(requests) }),
  });
  for (const method of ['GetClaim', 'ImportSkus', 'PlaceHolds']) {
    const error = await errorFor(raw, method, Buffer.from('0a05ff', 'hex'));
    assert.is(error.code, statusCode.INVALID_ARGUMENT, method);
    assert.ok(hasDetails(error.metadata), method);
  }
  await client.getClaim({ orderId: 'order-1' });
});

test('a message over the limit is the sender’s fault and never looks like a busy peer', async () => {
  const { client, raw } = await serve({ getClaim: async () => ({ order: undefined }) });
  const error = await errorFor(raw, 'GetClaim', Buffer.alloc(10_001));
  assert.is(error.code, statusCode.INVALID_ARGUMENT);
  assert.ok(hasDetails(error.metadata));
  const small = connect(InventoryServiceDefinition, server?.address ?? '', {
    defaultDeadlineMs: 5_000,
    maxRequestBytes: 100,
  });
  clients.push(small);
  assert.is((await faultOf(small.getClaim({ orderId: 'x'.repeat(200) }))).reason, 'INVALID_REQUEST');
  await client.getClaim({ orderId: 'order-1' });
});

test('an answer over the limit is our fault, and no caller is left without one', async () => {
  const { client } = await serve({
    getClaim: async ({ orderId }) => ({ order: order('x'.repeat(Number(orderId))) }),
  });
  assert.is((await client.getClaim({ orderId: '4000000' })).order?.orderId.length, 4_000_000);
  assert.is((await faultOf(client.getClaim({ orderId: '4200000' }))).reason, 'INTERNAL');
});

test('a method that is not in the contract is answered UNIMPLEMENTED', async () => {
  const { raw } = await serve({});
  assert.is((await errorFor(raw, 'StealUnits', Buffer.alloc(0))).code, statusCode.UNIMPLEMENTED);
});

test('H01 a caller whose deadline passes is told so; the handler goes on and knows', async () => {
  const aborted: unknown[] = [];
  const { client } = await serve({
    getClaim: async (_, call) => {
      assert.ok(call.remainingMs() <= 100);
      await until(() => call.signal.aborted);
      aborted.push(call.signal.reason);
      return { order: undefined };
    },
  });
  // A call may run out of time before it gets anywhere.
  await until(async () => {
    assert.is((await faultOf(client.getClaim({ orderId: 'order-1' }, { deadlineMs: 100 }))).reason, 'TOO_LATE');
    return aborted.length > 0;
  });
  assert.is((aborted[0] as Fault).reason, 'CANCELLED');
});

test('a handler sees the headers and the address of its caller, and no deadline where none is set', async () => {
  const seen: unknown[] = [];
  const { client, raw } = await serve({
    getClaim: async (_, call) => {
      seen.push(call.metadata('holdfast-actor'), call.metadata('absent'), call.remainingMs());
      assert.match(call.peer, /^127\.0\.0\.1:\d+$/);
      return { order: undefined };
    },
  });
  await client.getClaim({ orderId: '' }, { metadata: { 'holdfast-actor': 'ada' } });
  assert.equal(seen.slice(0, 2), ['ada', undefined]);
  assert.ok((seen[2] as number) <= 5_000);
  await new Promise((done) => raw.makeUnaryRequest(path('GetClaim'), asIs, asIs, Buffer.alloc(0), done));
  assert.is(seen[5], Number.POSITIVE_INFINITY);
});

test('a signal aborts when the caller goes away, and not when it has its answer', async () => {
  const signals: AbortSignal[] = [];
  const { client } = await serve({
    getClaim: async ({ orderId }, call) => {
      signals.push(call.signal);
      if (orderId === 'wait') await until(() => call.signal.aborted);
      return { order: undefined };
    },
  });
  await client.getClaim({ orderId: 'at once' });
  const giveUp = new AbortController();
  const call = client.getClaim({ orderId: 'wait' }, { signal: giveUp.signal });
  await until(() => signals.length === 2);
  giveUp.abort();
  assert.is((await faultOf(call)).reason, 'CANCELLED');
  await until(() => signals[1]?.aborted);
  assert.is(signals[0]?.aborted, false);
});

test('a client stream is read to its end and answered once', async () => {
  const { client } = await serve({
    importSkus: async (requests) => {
      let created = 0;
      for await (const { skus } of requests) created += skus.length;
      return { ...imported, created };
    },
  });
  async function* batches(): AsyncGenerator<{ skus: Sku[] }> {
    for (let i = 0; i < 40; i += 1) yield { skus: [Sku.decode(Buffer.alloc(0)), Sku.decode(Buffer.alloc(0))] };
  }
  assert.is((await client.importSkus(batches())).created, 80);
});

test('input that fails ends the call with its own error', async () => {
  const { client } = await serve({
    importSkus: async (requests) => ({ ...imported, created: await countOf(requests) }),
  });
  async function* failing(): AsyncGenerator<{ skus: Sku[] }> {
    yield { skus: [] };
    throw new RangeError('no more input');
  }
  const error = await client.importSkus(failing()).catch((reason: unknown) => reason);
  assert.instance(error, RangeError);
});

test('a client stream whose connection breaks ends the handler’s reading', async () => {
  let heard = false;
  let thrown: unknown;
  await serve({
    importSkus: async (requests) => {
      try {
        for await (const _ of requests) heard = true;
      } catch (error) {
        thrown = error;
      }
      return imported;
    },
  });
  const [host = '', port = ''] = server?.address.split(':') ?? [];
  const proxy = await faultProxy(host, Number(port));
  const client = connect(InventoryServiceDefinition, `127.0.0.1:${proxy.port}`, { defaultDeadlineMs: 5_000 });
  clients.push(client);
  async function* endless(): AsyncGenerator<{ skus: Sku[] }> {
    yield { skus: [] };
    await until(() => thrown);
  }
  const fault = faultOf(client.importSkus(endless()));
  await until(() => heard);
  proxy.cut();
  assert.is((await fault).reason, 'UNAVAILABLE');
  await until(() => thrown);
  assert.is((thrown as Fault).reason, 'CANCELLED');
  await proxy.close();
});

function order(orderId: string): Order {
  return { ...Order.decode(Buffer.alloc(0)), orderId };
}

async function countOf(messages: AsyncIterable<unknown>): Promise<number> {
  let count = 0;
  for await (const _ of messages) count += 1;
  return count;
}

test.run();
