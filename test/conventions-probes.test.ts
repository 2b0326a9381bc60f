import { type TestLedger, testLedger } from '#libs/ledger/test-ledger.js';
import type { PrivateServer } from '#libs/servers/private-server.js';
import { type FaultProxy, faultProxy } from '#libs/testing/fault-proxy.js';
import { privateNats, privateRedis } from '#libs/testing/private-servers.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { TestServices } from './test-services.js';

const test = suite('conventions: probes');

let ledger: TestLedger;
let servers: PrivateServer[];
/** What can be taken away from the processes. */
let away: Record<'postgres' | 'redis' | 'nats' | 'inventory' | 'gateway', FaultProxy>;
let services: TestServices;
/** The admin address of each process. */
let admins: Record<string, string>;

test.before(async () => {
  const [made, redis, nats] = await Promise.all([testLedger(), privateRedis(), privateNats()]);
  ledger = made;
  servers = [redis, nats];
  const [postgresProxy, redisProxy, natsProxy] = await Promise.all([
    before(made.url),
    before(redis.url),
    before(nats.url),
  ]);
  services = new TestServices({
    postgres: postgresProxy.url(made.url),
    redis: redisProxy.url(redis.url),
    nats: natsProxy.url(nats.url),
  });
  const [order, inventory, webhook] = [await services.order(), await services.inventory(), await services.webhook()];
  const inventoryProxy = await before(`grpc://${inventory.grpcAddress}`);
  const peers = { inventory: `127.0.0.1:${inventoryProxy.port}`, order: order.grpcAddress };
  const [scheduler, gateway] = [await services.scheduler(peers), await services.gateway(peers)];
  const gatewayProxy = await before(`grpc://${gateway.grpcAddress}`);
  const bff = await services.bff({ gateway: `127.0.0.1:${gatewayProxy.port}` });
  const started = Object.entries({ order, inventory, webhook, scheduler, gateway, bff });
  admins = Object.fromEntries(started.map(([name, { adminAddress }]) => [name, adminAddress]));
  const behind = { inventory: inventoryProxy, gateway: gatewayProxy };
  away = { postgres: postgresProxy, redis: redisProxy, nats: natsProxy, ...behind };
});
test.after(async () => {
  await services.close();
  await Promise.all(Object.values(away).map((proxy) => proxy.close()));
  await Promise.all([ledger.drop(), ...servers.map((server) => server.stop())]);
});

function before(url: string): Promise<FaultProxy> {
  const { hostname, port } = new URL(url);
  return faultProxy(hostname, Number(port));
}

async function probe(path: '/livez' | '/readyz'): Promise<Record<string, number>> {
  const asked = Object.entries(admins).map(async ([name, admin]) => {
    return [name, (await fetch(`http://${admin}${path}`)).status] as const;
  });
  return Object.fromEntries(await Promise.all(asked));
}

/** The processes that are not ready. */
async function unready(): Promise<string[]> {
  const statuses = await probe('/readyz');
  return Object.keys(statuses)
    .filter((name) => statuses[name] !== 200)
    .sort();
}

test('/readyz is 503 while what a process cannot do without is away, and /livez asks for nothing', async () => {
  await until(async () => (await unready()).length === 0);
  const needs = {
    postgres: ['inventory', 'order', 'scheduler', 'webhook'],
    // The gate can be done without, and so can marks and limits.
    redis: [],
    nats: ['order'],
    inventory: ['gateway'],
    gateway: ['bff'],
  };
  for (const [server, missed] of Object.entries(needs)) {
    const proxy = away[server as keyof typeof away];
    proxy.cut();
    await until(async () => (await unready()).join() === missed.join(), { timeoutMs: 30_000 });
    const alive = await probe('/livez');
    assert.equal([...new Set(Object.values(alive))], [200], server);
    proxy.heal();
    await until(async () => (await unready()).length === 0, { timeoutMs: 30_000 });
  }
});

test('/readyz says which need is not met, by name', async () => {
  away.inventory.cut();
  const body = await until(async () => {
    const response = await fetch(`http://${admins.gateway}/readyz`);
    return response.status === 503 ? await response.json() : undefined;
  });
  away.inventory.heal();
  assert.equal(body, { status: 'unavailable', checks: { started: true, inventory: false } });
});

test.run();
