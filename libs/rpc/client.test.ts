import { InventoryServiceDefinition } from '#libs/contracts/gen/holdfast/inventory/v1/inventory_service.js';
import { Fault } from '#libs/refusal/fault.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import type { CallContext } from './call-context.js';
import { type ConnectOptions, connect } from './client.js';
import { type RpcServer, startServer } from './server.js';
import type { Handlers } from './service.js';
import { silentLogger, standIn } from './stand-in.js';
import { startStandIn } from './stand-in-server.js';

const test = suite('client');
const always = { startsAfter: undefined, startsBefore: undefined };

type GetClaim = Handlers<typeof InventoryServiceDefinition>['getClaim'];

const found = { order: undefined };
const closers: (() => unknown)[] = [];

test.after.each(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function serve(getClaim: GetClaim, address = '127.0.0.1:0', drainMs = 2_000): Promise<RpcServer> {
  const services = [standIn({ getClaim })];
  const server = await startServer({ address, services, logger: silentLogger, drainMs });
  closers.push(() => server.drain());
  return server;
}

function clientOf(servers: readonly { address: string }[] | string, options: Partial<ConnectOptions> = {}) {
  const target = typeof servers === 'string' ? servers : servers.map(({ address }) => address).join(',');
  const client = connect(InventoryServiceDefinition, target, { defaultDeadlineMs: 20_000, ...options });
  closers.push(() => client.close());
  return client;
}

async function faultOf(call: Promise<unknown>): Promise<Fault> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  assert.instance(error, Fault);
  return error as Fault;
}

function incoming(remainingMs: number, headers: Record<string, string> = {}): CallContext {
  return {
    remainingMs: () => remainingMs,
    signal: new AbortController().signal,
    metadata: (name) => headers[name],
    principal: undefined,
    peerName: undefined,
    peer: '',
  };
}

test('a call waits no longer than itself, its default, or the caller it serves', async () => {
  const remaining: number[] = [];
  const server = await serve(async (_, call) => {
    remaining.push(call.remainingMs());
    return found;
  });
  const client = clientOf([server], { defaultDeadlineMs: 4_000 });
  await client.getClaim({ orderId: '' });
  await client.getClaim({ orderId: '' }, { deadlineMs: 2_000 });
  await client.getClaim({ orderId: '' }, { deadlineMs: 2_000, call: incoming(1_000) });
  await client.getClaim({ orderId: '' }, { deadlineMs: 2_000, call: incoming(60_000) });
  const bounds = [4_000, 2_000, 1_000, 2_000];
  for (const [i, bound] of bounds.entries())
    assert.ok((remaining[i] ?? 0) <= bound && (remaining[i] ?? 0) > bound - 900);
});

test('a call for which no time is left is not made', async () => {
  let heard = 0;
  const server = await serve(async () => {
    heard += 1;
    return found;
  });
  const client = clientOf([server]);
  assert.is((await faultOf(client.getClaim({ orderId: '' }, { call: incoming(0) }))).reason, 'TOO_LATE');
  assert.is((await faultOf(client.getClaim({ orderId: '' }, { signal: AbortSignal.abort() }))).reason, 'CANCELLED');
  assert.is(heard, 0);
});

test('the trace of the caller is passed on', async () => {
  const seen: (string | undefined)[] = [];
  const server = await serve(async (_, call) => {
    seen.push(call.metadata('traceparent'));
    return found;
  });
  const client = clientOf([server]);
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  await client.getClaim({ orderId: '' }, { call: incoming(1_000, { traceparent }) });
  await client.getClaim({ orderId: '' });
  assert.equal(seen, [traceparent, undefined]);
});

test('UNAVAILABLE is tried once more, anything else is not', async () => {
  let calls = 0;
  let reason: Fault['reason'] = 'UNAVAILABLE';
  const server = await serve(async () => {
    calls += 1;
    throw new Fault(reason, 'not now');
  });
  const client = clientOf([server]);
  assert.is((await faultOf(client.getClaim({ orderId: '' }))).reason, 'UNAVAILABLE');
  assert.is(calls, 2);
  for (reason of ['BUSY', 'TOO_LATE', 'INTERNAL', 'ORDER_NOT_FOUND'] as const) {
    calls = 0;
    assert.is((await faultOf(client.getClaim({ orderId: '' }))).reason, reason);
    assert.is(calls, 1);
  }
});

test('a method that the contract does not call idempotent is never tried twice', async () => {
  let calls = 0;
  const server = await serve(async () => {
    calls += 1;
    throw new Fault('UNAVAILABLE', 'not now');
  });
  const { getClaim, ...others } = InventoryServiceDefinition.methods;
  const definition = { ...InventoryServiceDefinition, methods: { ...others, getClaim: { ...getClaim, options: {} } } };
  const client = connect(definition, server.address, { defaultDeadlineMs: 1_000 });
  closers.push(() => client.close());
  assert.is((await faultOf(client.getClaim({ orderId: '' }))).reason, 'UNAVAILABLE');
  assert.is(calls, 1);
});

test('second tries end when too many calls fail', async () => {
  let calls = 0;
  const server = await serve(async () => {
    calls += 1;
    throw new Fault('UNAVAILABLE', 'not now');
  });
  const client = clientOf([server]);
  await Promise.allSettled(Array.from({ length: 200 }, () => client.getClaim({ orderId: '' })));
  assert.ok(calls > 200 && calls <= 240, String(calls));
});

test('H02 a server that is cut mid-call leaves the outcome open; the second try finds what the first did', async () => {
  const orders = new Set<string>();
  const heard: string[] = [];
  const hanging = await serve(
    ({ orderId }) => {
      heard.push(orderId);
      orders.add(orderId);
      return new Promise(() => undefined);
    },
    undefined,
    0,
  );
  const answering = await serve(async ({ orderId }) => {
    heard.push(orderId);
    orders.add(orderId);
    return found;
  });
  const client = clientOf([hanging, answering]);
  const calls = ['order-1', 'order-2'].map((orderId) => client.getClaim({ orderId }));
  await until(() => heard.length === 2);
  await hanging.drain();
  await Promise.all(calls);
  assert.is(heard.length, 3);
  assert.is(orders.size, 2);
});

test('calls go round the servers that are there', async () => {
  const heard: number[] = [0, 0, 0];
  const servers = await Promise.all(
    heard.map((_, i) =>
      serve(async () => {
        heard[i] = (heard[i] ?? 0) + 1;
        return found;
      }),
    ),
  );
  const client = clientOf(servers);
  await until(async () => {
    await client.getClaim({ orderId: '' });
    return heard.every((count) => count > 0);
  });
  const before = [...heard];
  for (let i = 0; i < 30; i += 1) await client.getClaim({ orderId: '' });
  assert.equal(
    heard.map((count, i) => count - (before[i] ?? 0)),
    [10, 10, 10],
  );
});

test('H05 while one of two servers drains no caller sees an error, and what is in flight finishes', async () => {
  const held: (() => void)[] = [];
  const holding: GetClaim = ({ orderId }) =>
    orderId === 'hold' ? new Promise((resolve) => held.push(() => resolve(found))) : Promise.resolve(found);
  const patientMs = 60_000;
  const servers = [await serve(holding, undefined, patientMs), await serve(holding, undefined, patientMs)];
  const client = clientOf(servers);
  const inFlight = Promise.all(Array.from({ length: 10 }, () => client.getClaim({ orderId: 'hold' })));
  await until(() => held.length === 10);
  let stop = false;
  let calls = 0;
  const worker = async (): Promise<void> => {
    while (!stop) {
      await client.getClaim({ orderId: '' });
      calls += 1;
    }
  };
  const traffic = Promise.allSettled(Array.from({ length: 8 }, worker));
  const moreTraffic = async (): Promise<void> => {
    const before = calls;
    await until(() => calls > before + 80);
  };
  await moreTraffic();
  const drained = servers[0]?.drain();
  await moreTraffic();
  for (const finish of held) finish();
  await Promise.all([drained, inFlight]);
  await moreTraffic();
  stop = true;
  assert.ok((await traffic).every(({ status }) => status === 'fulfilled'));
});

test('H04 a server that freezes costs a call its deadline and no more', async () => {
  const server = await startStandIn();
  closers.push(() => server.kill('SIGKILL'));
  const client = clientOf([server]);
  const list = (deadlineMs: number) =>
    client.listSkus({ storeId: '0', pageSize: 0, pageToken: '', ...always }, { deadlineMs });
  await list(2_000);
  server.signal('SIGSTOP');
  assert.is((await faultOf(list(100))).reason, 'TOO_LATE');
  server.signal('SIGCONT');
  await list(2_000);
});

test('a name stands for all its addresses', async () => {
  const server = await serve(async () => found);
  const client = clientOf(`dns:localhost:${server.address.split(':')[1]}`);
  await client.getClaim({ orderId: '' });
});

test('a target that names no port is refused at once', () => {
  for (const target of ['', 'host', 'host:1,other', 'dns:host']) assert.throws(() => clientOf(target), /host:port/);
});

test('a name that leads nowhere is UNAVAILABLE', async () => {
  const client = clientOf('dns:no-such-host.invalid:5000');
  assert.is((await faultOf(client.getClaim({ orderId: '' }))).reason, 'UNAVAILABLE');
});

test.run();
