import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { Client, credentials, status as statusCode } from '@grpc/grpc-js';
import { service as healthService } from 'grpc-health-check';
import { ReservationServiceDefinition } from '#libs/contracts/gen/holdfast/reservation/v1/reservation_service.js';
import { connect } from '#libs/rpc/client.js';
import { assert, suite } from '#libs/testing/suite.js';
import { bearerOf } from '#libs/testing/test-issuer.js';
import { type CallRecorder, recordCalls } from './call-recorder.js';
import { errorOfGrpc, type Header } from './edge-calls.js';
import { onSale, somebody } from './on-sale.js';
import { pressHttp } from './press.js';
import { servicesOf } from './reflection.js';
import { detailsOf } from './status-details.js';
import { startTestMesh, type TestMesh } from './test-mesh.js';
import { TestServices } from './test-services.js';

const test = suite('conventions: gRPC servers');
const service: Header = ['authorization', bearerOf('front', { role: 'SERVICE' })];
const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const maxRequestBytes = 1_000_000;

let mesh: TestMesh;
let services: TestServices;
/** Stand before order and inventory, for another gateway. */
let recorders: CallRecorder[];
let other: { http: string; gateway: string };

test.before(async () => {
  mesh = await startTestMesh({ scheduler: true, webhook: true });
  services = new TestServices({ postgres: mesh.ledger.url, redis: mesh.redis.url });
  recorders = await Promise.all([addressOf('order'), addressOf('inventory')].map(recordCalls));
  const [order = '', inventory = ''] = recorders.map(({ address }) => address);
  const gateway = (await services.gateway({ order, inventory }, { REFLECTION: 'false' })).grpcAddress;
  other = { gateway, http: (await services.bff({ gateway })).httpAddress };
});
test.after(async () => {
  await services.close();
  for (const recorder of recorders) recorder.close();
  await mesh.close();
});

const servers = () => mesh.processes.filter(({ grpcAddress }) => grpcAddress !== undefined);

function addressOf(name: string): string {
  return mesh.processes.find((process) => process.service === name)?.grpcAddress ?? '';
}

interface HealthCheck {
  path: string;
  requestSerialize: (request: { service: string }) => Buffer;
  responseDeserialize: (bytes: Buffer) => { status: string };
}

/** What health v1 says of a service; the name of the status code when that is not OK. */
function health(address: string, name: string): Promise<string> {
  const { Check } = healthService as unknown as Record<'Check', HealthCheck>;
  const client = new Client(address, credentials.createInsecure());
  return new Promise<string>((resolve) => {
    client.makeUnaryRequest(
      Check.path,
      Check.requestSerialize,
      Check.responseDeserialize,
      { service: name },
      (error, answer) => resolve(error ? (statusCode[error.code] ?? '') : (answer?.status ?? '')),
    );
  }).finally(() => client.close());
}

test('health v1: every process says SERVING of itself and of each of its services by name', async () => {
  assert.equal(
    servers()
      .map((process) => process.service)
      .sort(),
    [...['gateway', 'inventory', 'order', 'scheduler', 'webhook']],
  );
  for (const { service: name, grpcAddress = '' } of servers()) {
    const own = (await servicesOf(grpcAddress)).filter((one) => one.startsWith('holdfast.'));
    assert.ok(own.length > 0, name);
    for (const one of ['', ...own]) assert.is(await health(grpcAddress, one), 'SERVING', `${name} ${one}`);
    assert.is(await health(grpcAddress, 'holdfast.other.v1.OtherService'), 'NOT_FOUND', name);
  }
});

test('reflection: every process tells its contracts without a token, and none where it is switched off', async () => {
  const all = await Promise.all(servers().map(({ grpcAddress = '' }) => servicesOf(grpcAddress)));
  for (const names of all) assert.ok(names.includes('holdfast.status.v1.StatusService'), String(names));
  const refused = await servicesOf(other.gateway).catch((error) => statusCode[error.code]);
  assert.is(refused, 'UNIMPLEMENTED');
});

test('keepalive: a peer that pings often is not punished', async () => {
  for (const { service: name, grpcAddress } of servers()) {
    const session = connectHttp2(`http://${grpcAddress}`);
    await once(session, 'connect');
    let goneAway = false;
    session.on('goaway', () => {
      goneAway = true;
    });
    const ping = (): Promise<void> =>
      new Promise((resolve, reject) => {
        session.ping((error) => (error ? reject(error) : resolve()));
      });
    for (let count = 0; count < 50; count += 1) await ping();
    assert.equal([goneAway, session.closed], [false, false], name);
    session.close();
  }
});

test('message size: every server takes requests up to its limit, and refuses longer ones as what they are', async () => {
  for (const { service: name, grpcAddress = '' } of servers()) {
    const method = 'holdfast.status.v1.StatusService/GetStatus';
    // A field that nobody knows, which a server reads and passes over.
    const padded = (length: number): Buffer => {
      const head = Buffer.from([0xfa, 0x07, (length & 0x7f) | 0x80, ((length >> 7) & 0x7f) | 0x80, length >> 14]);
      return Buffer.concat([head, Buffer.alloc(length)]);
    };
    const ask = (length: number) => errorOfGrpc(grpcAddress, { method, headers: [service], bytes: padded(length - 5) });
    assert.is(await ask(maxRequestBytes), null, name);
    const error = await ask(maxRequestBytes + 1);
    if (error === null) throw new Error(`${name} took it`);
    assert.is(detailsOf(error).infos[0]?.reason, 'INVALID_REQUEST', name);
  }
});

test('message size: a client sends none that is too long, and says how long it is', async () => {
  const client = connect(ReservationServiceDefinition, other.gateway, { defaultDeadlineMs: 5_000 });
  const fault = await client.getSku({ skuId: 'x'.repeat(maxRequestBytes) }).catch((error) => error);
  client.close();
  assert.equal([fault.reason, fault.metadata.max_bytes], ['INVALID_REQUEST', String(maxRequestBytes)]);
});

test('traceparent goes from the HTTP edge and the gateway to the services behind it', async () => {
  const sku = await onSale(mesh, { perSecond: 1_000, burst: 1_000 });
  const ada = somebody(sku);
  const { body } = await pressHttp(other.http, ada);
  const headers = { authorization: bearerOf(ada.user), traceparent };
  for (const path of [`/v1/orders/${body.order_id}`, '/v1/me/orders']) {
    assert.is((await fetch(other.http + path, { headers })).status, 200, path);
  }
  const client = connect(ReservationServiceDefinition, other.gateway, { defaultDeadlineMs: 5_000 });
  await client.getSku({ skuId: sku.skuId }, { metadata: { traceparent } });
  client.close();
  const told = recorders.flatMap((recorder) => recorder.valuesOf('traceparent'));
  assert.equal([...new Set(told.map(({ value }) => value))], [traceparent]);
  assert.equal(told.map(({ method }) => method).sort(), [
    'InventoryService/GetSku',
    'OrderService/GetOrder',
    'OrderService/ListOrders',
  ]);
});

test.run();
