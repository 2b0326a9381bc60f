import type { LimitsFile } from '#libs/mesh/limits-file.js';
import { assert, suite } from '#libs/testing/suite.js';
import { readConfig as readBff } from '../../services/bff/src/config.js';
import { readConfig as readGateway } from '../../services/gateway/src/config.js';
import { readConfig as readInventory } from '../../services/inventory/src/config.js';
import { readConfig as readOrder } from '../../services/order/src/config.js';
import { readConfig as readScheduler } from '../../services/scheduler/src/config.js';
import { readConfig as readWebhook } from '../../services/webhook/src/config.js';
import { overruling } from './find-limits.js';
import {
  DEFAULT_PORTS,
  type EnvOf,
  parseScale,
  planProcesses,
  type Scale,
  type ServerUrls,
  type ServicePlan,
} from './topology.js';

const identity = {
  reads: { TOKEN_ISSUER: 'i', TOKEN_AUDIENCE: 'a', TOKEN_KEYS: 'k' },
  speaks: { SERVICE_TOKEN_PATH: 'p' },
};
const test = suite('topology');
const SERVERS: ServerUrls = { postgres: 'postgres://x', redis: 'redis://x', nats: 'nats://x' };

function plan(scale: Scale, servers = SERVERS, limits?: LimitsFile, env = {}, envOf?: EnvOf): ServicePlan[] {
  let port = 1000;
  return planProcesses({
    scale,
    servers,
    requestIdSecret: 'secret',
    identity,
    limits,
    env: { LOG_LEVEL: 'debug', ADMIN_ADDRESS: 'overruled', ...env },
    envOf,
    nextPort: () => {
      port += 1;
      return port;
    },
  });
}

const named = (plans: ServicePlan[], name: string): ServicePlan | undefined => plans.find((one) => one.name === name);

test('one process of each service, every address another', () => {
  const plans = plan({});
  assert.equal(
    plans.map((one) => one.name),
    ['inventory-1', 'order-1', 'scheduler-1', 'webhook-1', 'gateway-1', 'bff-1'],
  );
  const addresses = plans.flatMap((one) => [one.grpc ?? one.http, one.admin]);
  assert.is(new Set(addresses).size, addresses.length);
});

test('callers are given every process of those they call', () => {
  const plans = plan({ order: 2 });
  const orders = [named(plans, 'order-1')?.grpc, named(plans, 'order-2')?.grpc].join(',');
  assert.is(named(plans, 'gateway-1')?.env.ORDER_TARGET, orders);
  assert.is(named(plans, 'scheduler-1')?.env.ORDER_TARGET, orders);
  assert.is(named(plans, 'bff-1')?.env.GATEWAY_TARGET, named(plans, 'gateway-1')?.grpc);
});

test('settings of the mesh reach every process and do not overrule its addresses', () => {
  for (const one of plan({})) {
    assert.is(one.env.LOG_LEVEL, 'debug');
    assert.is(one.env.ADMIN_ADDRESS, one.admin);
    assert.is(one.env.INSTANCE, one.name);
  }
});

test('what is said of one process overrules what is said of all, and holds for no other', () => {
  const envOf = (service: string, index: number): Record<string, string> =>
    service === 'order' && index === 1 ? { DATABASE_URL: 'postgres://slow', LOG_LEVEL: 'silent' } : {};
  const plans = plan({ order: 2 }, SERVERS, undefined, {}, envOf);
  const read = (name: string): unknown[] => [named(plans, name)?.env.DATABASE_URL, named(plans, name)?.env.LOG_LEVEL];
  assert.equal(read('order-1'), ['postgres://x', 'debug']);
  assert.equal(read('order-2'), ['postgres://slow', 'silent']);
});

test('services read what they are given, and lack nothing', () => {
  const readers = {
    bff: readBff,
    gateway: readGateway,
    inventory: readInventory,
    order: readOrder,
    scheduler: readScheduler,
    webhook: readWebhook,
  };
  for (const { service, name, env } of plan({}, { postgres: 'postgres://x/y', redis: 'redis://x', nats: 'nats://x' })) {
    // Every process is told its name, whether or not it has a use for it.
    const unread = new Set(Object.keys(env).filter((setting) => setting !== 'INSTANCE'));
    const watched = new Proxy({ ...env, ADMIN_ADDRESS: '127.0.0.1:1', LOG_LEVEL: 'info' } as Record<string, string>, {
      get: (settings, setting: string) => {
        unread.delete(setting);
        return settings[setting];
      },
    });
    readers[service](watched);
    assert.equal([...unread], [], name);
  }
});

test('limits reach the services they are for, divided among processes, and give way to the environment', () => {
  const limits: LimitsFile = {
    version: 1,
    measured: { at: '', cores: 1, cpu: '', node: '', ledger_per_second: 1, consumer_per_second: 1, path_per_second: 1 },
    predicted: { per_second: 1, p99_ms: 1 },
    services: { gateway: { max_in_flight: 500, rate_burst: 70 }, order: { consume_per_second: 9_000 } },
    limits: [],
  };
  const plans = plan({ gateway: 2 }, SERVERS, limits);
  const gateway = named(plans, 'gateway-2')?.env ?? {};
  const order = named(plans, 'order-1')?.env ?? {};
  assert.equal([gateway.MAX_IN_FLIGHT, gateway.RATE_BURST, order.CONSUME_PER_SECOND], ['250', '70', '9000']);
  assert.is(named(plans, 'bff-1')?.env.MAX_IN_FLIGHT, undefined);
  assert.is(readGateway(gateway).maxInFlight, 250);
  assert.is(readOrder({ ...order, ADMIN_ADDRESS: '127.0.0.1:1' }).consumePerSecond, 9_000);
  assert.equal(overruling(limits, { RATE_BURST: '5', PATH: 'x', MAX_IN_FLIGHT: '' }), { RATE_BURST: '5' });
  const overruled = plan({}, SERVERS, limits, { RATE_BURST: '5' });
  assert.is(named(overruled, 'gateway-1')?.env.RATE_BURST, '5');
});

test('npm start puts HTTP and gRPC where the services listen by default', () => {
  const bff = readBff({ ...identity.reads, GATEWAY_TARGET: 'x:1' });
  const gateway = readGateway({ ...identity.reads, INVENTORY_TARGET: 'x:1', ORDER_TARGET: 'x:1' });
  assert.is(bff.httpAddress, `127.0.0.1:${DEFAULT_PORTS.http}`);
  assert.is(gateway.grpcAddress, `127.0.0.1:${DEFAULT_PORTS.gateway}`);
});

test('a server that the mesh does without is an empty setting, which hides one of the environment', () => {
  const inventory = named(plan({}, { postgres: 'postgres://x' }), 'inventory-1');
  assert.equal(
    [inventory?.env.DATABASE_URL, inventory?.env.REDIS_URL, inventory?.env.NATS_URL],
    ['postgres://x', '', ''],
  );
});

test('a scale is read by name and count, and what is none is refused with its text', () => {
  assert.equal(parseScale('gateway=2,inventory=3'), { gateway: 2, inventory: 3 });
  assert.equal(parseScale(''), {});
  for (const wrong of ['gateway', 'gateway=0', 'gateway=two', 'bff=2', 'shop=1']) {
    assert.throws(
      () => parseScale(wrong),
      (error: Error) => error.message.includes(wrong),
    );
  }
});

test.run();
