import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { AlertKind } from '#libs/contracts/gen/holdfast/control/v1/alert_service.js';
import {
  ControlServiceDefinition,
  type GetMeshStatusResponse,
} from '#libs/contracts/gen/holdfast/control/v1/control_service.js';
import { Fault } from '#libs/refusal/fault.js';
import { connect } from '#libs/rpc/client.js';
import type { RpcServer } from '#libs/rpc/server.js';
import { freePort } from '#libs/servers/free-port.js';
import type { PrivateServer } from '#libs/servers/private-server.js';
import { privateRedis } from '#libs/testing/private-servers.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { emptyBooks, startFakeInventory, startFakeScheduler } from './fake-peers.js';
import { as, type GatewaysUnderTest, startGateways } from './gateways-under-test.js';

const test = suite('mesh status');

let redis: PrivateServer;
let others: RpcServer[];
let silent: Server;
const sockets: Socket[] = [];

test.before(async () => {
  const books = emptyBooks();
  const never = () => 'never' as const;
  redis = await privateRedis();
  others = [
    await startFakeInventory(books, never),
    await startFakeInventory(books, never),
    await startFakeScheduler(books),
  ];
  silent = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
  await once(silent, 'listening');
});
test.after(async () => {
  for (const socket of sockets) socket.destroy();
  silent.close();
  await Promise.all(others.map((server) => server.drain()));
  await redis.stop();
});

async function statusOf(gateways: GatewaysUnderTest, index = 0): Promise<GetMeshStatusResponse> {
  const control = connect(ControlServiceDefinition, gateways.addresses[index] ?? '', { defaultDeadlineMs: 20_000 });
  try {
    return await control.getMeshStatus({}, as('olga', { role: 'OPERATOR' }));
  } finally {
    control.close();
  }
}

const shown = ({ instances }: GetMeshStatusResponse): string[][] =>
  instances.map(({ service, address, status, problem }) => [service, address, status?.instance ?? problem]);

test('every process is shown, and of one that does not answer why', async () => {
  const [one = '', two = '', scheduler = ''] = others.map(({ address }) => address);
  const { port } = silent.address() as { port: number };
  const [gone, hanging] = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${port}`];
  const env = { INVENTORY_TARGET: [one, gone, two, hanging].join(), SCHEDULER_TARGET: scheduler };
  const gateways = await startGateways(1, env);
  // A machine that is busy may keep one from answering within its second.
  const status = await until(async () => {
    const seen = await statusOf(gateways);
    return seen.instances.filter(({ status: own }) => own).length === 5 ? seen : undefined;
  });
  const { address: order = '' } = status.instances.find(({ service }) => service === 'order') ?? {};
  await gateways.close();
  const inventories = [
    ['inventory', one, 'inventory-of-test'],
    ['inventory', two, 'inventory-of-test'],
    ['inventory', gone, 'it cannot be reached'],
    ['inventory', hanging, 'it did not answer within a second'],
  ];
  assert.equal(shown(status), [
    ['gateway', gateways.addresses[0], 'gateway-0'],
    ...inventories.sort(([, a = ''], [, b = '']) => a.localeCompare(b)),
    ['order', order, 'order-of-test'],
    ['scheduler', scheduler, 'scheduler-of-test'],
  ]);
  const own = status.instances[0]?.status;
  assert.is(own?.service, 'gateway');
  assert.ok(own?.version && own.startedAt);
});

test('switches and open alerts are counted, and whoever cannot tell them leaves them out', async () => {
  const gateways = await startGateways(1, {});
  const alert = {
    kind: AlertKind.ALERT_KIND_DRIFT,
    alertId: 1,
    subject: 'a',
    skuId: '',
    facts: '{}',
    command: '',
  };
  const unseen = { firstSeenAt: undefined, lastSeenAt: undefined, timesSeen: 1, clearedAt: undefined };
  const rest = { ...unseen, clearedBy: '', clearedReason: '' };
  const kinds = [AlertKind.ALERT_KIND_DRIFT, AlertKind.ALERT_KIND_DRIFT, AlertKind.ALERT_KIND_OVERSOLD];
  const alerts = kinds.map((kind) => ({ ...alert, ...rest, kind }));
  gateways.books.answers.set('ListAlerts', { alerts, nextPageToken: '' });
  const set = { scope: undefined, path: undefined, version: 3, reason: 'r', setBy: 'olga', setAt: undefined };
  gateways.books.answers.set('GetControl', { switches: [{ ...set, expiresAt: undefined }] });
  const status = await until(async () => {
    const seen = await statusOf(gateways);
    return seen.switches.length > 0 && Object.keys(seen.openAlerts).length > 0 ? seen : undefined;
  });
  assert.equal(status.openAlerts, { DRIFT: 2, OVERSOLD: 1 });
  assert.is(status.switches[0]?.setBy, 'olga');
  for (const method of ['ListAlerts', 'GetControl']) {
    gateways.books.answers.set(method, new Fault('INTERNAL', 'broken'));
  }
  const broken = await statusOf(gateways);
  await gateways.close();
  assert.equal([broken.openAlerts, broken.switches], [{}, []]);
  assert.is(broken.instances.length, 3);
});

test('gateways that share a Redis show one another, and one that leaves is not shown any more', async () => {
  const [first, second] = [
    await startGateways(1, { REDIS_URL: redis.url, INSTANCE: 'one' }),
    await startGateways(1, { REDIS_URL: redis.url, INSTANCE: 'two' }),
  ];
  const names = async (gateways: GatewaysUnderTest): Promise<string[]> =>
    shown(await statusOf(gateways)).flatMap(([service, , name = '']) => (service === 'gateway' ? [name] : []));
  await until(async () => (await names(first)).length === 2 && (await names(second)).length === 2);
  await until(async () => (await names(second)).sort().join() === 'one,two');
  await second.close();
  assert.is((await names(first)).length, 1);
  await first.close();
});

test('who is no operator is shown nothing', async () => {
  const gateways = await startGateways(1, {});
  const control = connect(ControlServiceDefinition, gateways.addresses[0] ?? '', { defaultDeadlineMs: 20_000 });
  const fault = await rejectionOf(control.getMeshStatus({}, as('ana')), Fault);
  control.close();
  await gateways.close();
  assert.is(fault.reason, 'PERMISSION_DENIED');
  assert.equal(gateways.books.asked, []);
});

test.run();
