import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { Client, credentials, status as statusCode } from '@grpc/grpc-js';
import { service as healthService } from 'grpc-health-check';
import { InventoryServiceDefinition } from '#libs/contracts/gen/holdfast/inventory/v1/inventory_service.js';
import { Fault } from '#libs/refusal/fault.js';
import { createMetrics } from '#libs/runtime/metrics.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { connect } from './client.js';
import { type RpcServer, type ServerOptions, startServer } from './server.js';
import { silentLogger, standIn } from './stand-in.js';
import { channelOptions, MIN_PING_INTERVAL_MS, serverOptions } from './transport.js';

const test = suite('server');

const asIs = (bytes: Buffer): Buffer => bytes;
const closers: (() => unknown)[] = [];

test.after.each(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function serve(options: Partial<ServerOptions> = {}): Promise<RpcServer> {
  const server = await startServer({
    address: '127.0.0.1:0',
    services: [standIn({ getClaim: async () => ({ order: undefined }) })],
    logger: silentLogger,
    drainMs: 5_000,
    ...options,
  });
  closers.push(() => server.drain());
  return server;
}

function clientOf(server: RpcServer) {
  const client = connect(InventoryServiceDefinition, server.address, { defaultDeadlineMs: 5_000 });
  closers.push(() => client.close());
  return client;
}

function health(server: RpcServer, service: string): Promise<string> {
  const { Check } = healthService as unknown as Record<'Check', HealthCheck>;
  const client = new Client(server.address, credentials.createInsecure());
  return new Promise<string>((resolve) => {
    client.makeUnaryRequest(
      Check.path,
      Check.requestSerialize,
      Check.responseDeserialize,
      { service },
      (error, answer) => resolve(error ? (statusCode[error.code] ?? '') : (answer?.status ?? '')),
    );
  }).finally(() => client.close());
}

interface HealthCheck {
  path: string;
  requestSerialize: (request: { service: string }) => Buffer;
  responseDeserialize: (bytes: Buffer) => { status: string };
}

test('health tells of the server and of each service, once it is told to', async () => {
  const server = await serve();
  assert.is(await health(server, ''), 'NOT_SERVING');
  server.serving(true);
  assert.is(await health(server, ''), 'SERVING');
  assert.is(await health(server, 'holdfast.inventory.v1.InventoryService'), 'SERVING');
  assert.is(await health(server, 'holdfast.other.v1.OtherService'), 'NOT_FOUND');
  server.serving(false);
  assert.is(await health(server, 'holdfast.inventory.v1.InventoryService'), 'NOT_SERVING');
});

test('a port that is taken is an error that names the address', async () => {
  const server = await serve();
  const error = await serve({ address: server.address }).catch((thrown: Error) => thrown);
  assert.match((error as Error).message, server.address);
});

test('calls are counted by method and code, also those that the transport ended', async () => {
  const metrics = createMetrics();
  let syncs = 0;
  const service = standIn({
    getClaim: async () => ({ order: undefined }),
    getSku: async (_, call) => {
      await until(() => call.signal.aborted);
      throw new Fault('INTERNAL', 'too late to matter');
    },
    sync: async (_, call) => {
      syncs += 1;
      await until(() => call.signal.aborted);
      return { synced: 0, nextOpeningAt: undefined };
    },
  });
  const server = await serve({ services: [service], metrics });
  const client = clientOf(server);
  await client.getClaim({ orderId: '' });
  await client.sweep({}).catch(() => undefined);
  // Long enough that the call arrives on a slow machine, too.
  await client.getSku({ skuId: '' }, { deadlineMs: 500 }).catch(() => undefined);
  const giveUp = new AbortController();
  const given = client.sync({ skuIds: [], openingWithinSeconds: 0 }, { signal: giveUp.signal }).catch(() => undefined);
  await until(() => syncs === 1);
  giveUp.abort();
  await given;
  const counted = (method: string, code: string): string =>
    `holdfast_rpc_requests_total{service="holdfast.inventory.v1.InventoryService",method="${method}",code="${code}"} 1\n`;
  await until(async () => {
    const text = await metrics.text();
    return [
      counted('GetClaim', 'OK'),
      counted('Sweep', 'INTERNAL'),
      counted('GetSku', 'DEADLINE_EXCEEDED'),
      counted('Sync', 'CANCELLED'),
    ].every((line) => text.includes(line));
  });
});

test('a server that drains finishes what is in flight and says NOT_SERVING', async () => {
  let finish = (): void => undefined;
  const service = standIn({
    getClaim: () =>
      new Promise((resolve) => {
        finish = () => resolve({ order: undefined });
      }),
  });
  const server = await serve({ services: [service] });
  const started = finish;
  const call = clientOf(server).getClaim({ orderId: '' });
  await until(() => finish !== started);
  const drained = server.drain();
  assert.is(server.drain(), drained);
  await new Promise(setImmediate);
  finish();
  await call;
  await drained;
});

test('what does not finish within drainMs is cut, and its caller does not know the outcome', async () => {
  let heard = false;
  const service = standIn({
    putSku: () => {
      heard = true;
      return new Promise(() => undefined);
    },
  });
  const server = await serve({ services: [service], drainMs: 30 });
  const call = clientOf(server).putSku({ sku: undefined, requestId: '' }, { deadlineMs: 2_000 });
  const failed = call.catch((error: unknown) => error);
  await until(() => heard);
  await server.drain();
  assert.is(((await failed) as Fault).reason, 'UNAVAILABLE');
});

test('an open stream of a foreign client does not hold a drain for ever', async () => {
  const server = await serve({ drainMs: 30 });
  const client = new Client(server.address, credentials.createInsecure());
  closers.push(() => client.close());
  const stream = client.makeBidiStreamRequest('/holdfast.inventory.v1.InventoryService/PlaceHolds', asIs, asIs);
  const failed = new Promise((resolve) => stream.once('error', resolve));
  await new Promise((accepted) => stream.once('metadata', accepted));
  stream.resume();
  await server.drain();
  await failed;
});

test('H03 no client pings more often than a server takes it', () => {
  assert.ok((channelOptions['grpc.keepalive_time_ms'] ?? 0) >= MIN_PING_INTERVAL_MS);
  assert.is(channelOptions['grpc.keepalive_permit_without_calls'], 0);
  assert.ok((serverOptions(1)['grpc.keepalive_time_ms'] ?? 0) >= MIN_PING_INTERVAL_MS);
});

test('reflection gives the contracts, and can be switched off', async () => {
  // A ServerReflectionRequest with file_containing_symbol = 4.
  const request = Buffer.from(new BinaryWriter().uint32(34).string('holdfast.inventory.v1.InventoryService').finish());
  const ask = async (server: RpcServer): Promise<string> => {
    const client = new Client(server.address, credentials.createInsecure());
    const path = '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo';
    const stream = client.makeBidiStreamRequest(path, asIs, asIs);
    const answer = new Promise<string>((resolve) => {
      stream.once('data', (bytes: Buffer) => resolve(bytes.toString('latin1')));
      stream.once('error', (error: Error) => resolve(error.message));
    });
    stream.write(request);
    return answer.finally(() => {
      stream.end();
      client.close();
    });
  };
  assert.match(await ask(await serve()), 'holdfast/inventory/v1/inventory_service.proto');
  assert.match(await ask(await serve({ reflection: false })), 'UNIMPLEMENTED');
});

test.run();
