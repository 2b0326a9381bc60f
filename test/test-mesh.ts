import { randomBytes, randomUUID } from 'node:crypto';
import { InventoryServiceDefinition } from '#libs/contracts/gen/holdfast/inventory/v1/inventory_service.js';
import { ReservationServiceDefinition } from '#libs/contracts/gen/holdfast/reservation/v1/reservation_service.js';
import { type TestLedger, testLedger } from '#libs/ledger/test-ledger.js';
import { type Client, connect } from '#libs/rpc/client.js';
import { Lifecycle } from '#libs/runtime/lifecycle.js';
import { createLogger, type Logger } from '#libs/runtime/logger.js';
import { freePort } from '#libs/servers/free-port.js';
import type { PrivateServer } from '#libs/servers/private-server.js';
import { type FaultProxy, faultProxy } from '#libs/testing/fault-proxy.js';
import { privateNats, privateRedis } from '#libs/testing/private-servers.js';
import { testIdentity } from '#libs/testing/test-issuer.js';
import { readConfig as sandboxConfig } from '../deploy/sandbox/config.js';
import { startSandbox } from '../deploy/sandbox/service.js';
import { readConfig as bffConfig } from '../services/bff/src/config.js';
import { startBff } from '../services/bff/src/service.js';
import { readConfig as gatewayConfig } from '../services/gateway/src/config.js';
import { startGateway } from '../services/gateway/src/service.js';
import { readConfig as inventoryConfig } from '../services/inventory/src/config.js';
import { startInventory } from '../services/inventory/src/service.js';
import { readConfig as orderConfig } from '../services/order/src/config.js';
import { startOrder } from '../services/order/src/service.js';
import { readConfig as schedulerConfig } from '../services/scheduler/src/config.js';
import { startScheduler } from '../services/scheduler/src/service.js';
import { metricAt } from './metric-at.js';
import { unlimited } from './unlimited.js';

export interface MeshOptions {
  gateways?: number;
  inventories?: number;
  /** Settings of every gateway, which has no limits unless they are among them. */
  gatewayEnv?: Readonly<Record<string, string>>;
  /** Settings of the HTTP edge. */
  bffEnv?: Readonly<Record<string, string>>;
  /** Where gateways log; nowhere by default. */
  gatewayLogger?: Logger;
  /** Also a scheduler, which does its jobs. */
  scheduler?: boolean;
  /** Also a payment sandbox, which the order service knows and which knows the edge. */
  sandbox?: boolean;
  /** What Redis has seen survives its death. */
  durableRedis?: boolean;
}

/** A mesh in this process, on a ledger, a Redis and a NATS of its own. One order service; a scheduler only when it is asked for. */
export interface TestMesh {
  /** Base URL of the HTTP edge, which knows every gateway. */
  http: string;
  /** The first gateway. */
  gateway: Client<typeof ReservationServiceDefinition>;
  gatewayAt(index: number): Client<typeof ReservationServiceDefinition>;
  gatewayAddresses: string[];
  /** Sums a metric over all gateways: every sample whose name and labels begin like this. */
  gatewayMetric(prefix: string): Promise<number>;
  /** Likewise over all inventories. */
  inventoryMetric(prefix: string): Promise<number>;
  /** One client for each inventory, past the proxy. */
  inventories: Client<typeof InventoryServiceDefinition>[];
  inventoryAddresses: string[];
  /** Base URL of the payment sandbox; empty when there is none. */
  sandbox: string;
  /** What lies between the gateways and each inventory. */
  proxies: FaultProxy[];
  ledger: TestLedger;
  redis: PrivateServer;
  nats: PrivateServer;
  close(): Promise<void>;
}

const logger = createLogger('mesh', 'silent');
const patient = { defaultDeadlineMs: 10_000 };
const anyAddress = '127.0.0.1:0';
const common = {
  ...testIdentity(),
  GRPC_ADDRESS: anyAddress,
  HTTP_ADDRESS: anyAddress,
  ADMIN_ADDRESS: anyAddress,
  LOG_LEVEL: 'silent',
};

export async function startTestMesh(options: MeshOptions = {}): Promise<TestMesh> {
  const { gateways = 1, inventories = 1, gatewayEnv: ownEnv, gatewayLogger, durableRedis = false } = options;
  const redisOptions = { appendonly: durableRedis };
  const [ledger, redis, nats] = await Promise.all([testLedger(), privateRedis(redisOptions), privateNats()]);
  const lives: Lifecycle[] = [];
  const newLife = (log = logger): Lifecycle => {
    const life = new Lifecycle(log);
    lives.push(life);
    return life;
  };
  const infra = { ...common, DATABASE_URL: ledger.url, REDIS_URL: redis.url, NATS_URL: nats.url };
  const payments = options.sandbox === true ? await sandboxBeside(newLife()) : noSandbox;
  const order = await startOrder(orderConfig({ ...infra, ...payments.orderEnv }), newLife());
  const [inventoryAdmins, gatewayAdmins] = await Promise.all([adminAddresses(inventories), adminAddresses(gateways)]);
  const inventoryAddresses = await eachOf(inventoryAdmins, async (admin) => {
    return (await startInventory(inventoryConfig({ ...infra, ...admin }), newLife())).grpcAddress;
  });
  const proxies = await Promise.all(inventoryAddresses.map((address) => faultProxy('127.0.0.1', portOf(address))));
  const inventoryTarget = proxies.map(({ port }) => `127.0.0.1:${port}`).join();
  const gatewayPeers = { INVENTORY_TARGET: inventoryTarget, ORDER_TARGET: order.grpcAddress, REDIS_URL: redis.url };
  const peers = { ...infra, ORDER_TARGET: order.grpcAddress, INVENTORY_TARGET: inventoryTarget };
  const scheduler = options.scheduler === true ? await schedulerBeside(peers, newLife()) : {};
  const gatewayEnv = { ...common, ...unlimited, ...gatewayPeers, ...scheduler, ...ownEnv };
  const gatewayAddresses = await eachOf(gatewayAdmins, async (admin) => {
    const own = { INSTANCE: `gateway-${portOf(admin.ADMIN_ADDRESS)}`, ...admin };
    return (await startGateway(gatewayConfig({ ...gatewayEnv, ...own }), newLife(gatewayLogger))).grpcAddress;
  });
  const bffEnv = { ...common, GATEWAY_TARGET: gatewayAddresses.join(), ...payments.bffEnv, ...options.bffEnv };
  const { httpAddress } = await startBff(bffConfig(bffEnv), newLife());

  const gatewayClients = gatewayAddresses.map((address) => connect(ReservationServiceDefinition, address, patient));
  const inventoryClients = inventoryAddresses.map((address) => connect(InventoryServiceDefinition, address, patient));
  const gatewayAt = (index: number): Client<typeof ReservationServiceDefinition> => {
    const client = gatewayClients[index];
    if (client === undefined) throw new Error(`there is no gateway ${index}`);
    return client;
  };
  return {
    http: httpAddress,
    gateway: gatewayAt(0),
    gatewayAt,
    gatewayAddresses,
    gatewayMetric: (prefix) => sumOf(gatewayAdmins, prefix),
    inventoryMetric: (prefix) => sumOf(inventoryAdmins, prefix),
    inventories: inventoryClients,
    inventoryAddresses,
    sandbox: payments.url,
    proxies,
    ledger,
    redis,
    nats,
    async close() {
      for (const client of [...gatewayClients, ...inventoryClients]) client.close();
      for (const life of lives.reverse()) await life.close();
      await Promise.all(proxies.map((proxy) => proxy.close()));
      await Promise.all([ledger.drop(), redis.stop(), nats.stop()]);
    },
  };
}

const noSandbox = { url: '', orderEnv: {}, bffEnv: {} };

/** A sandbox, and the settings by which the services know it. The edge listens where the sandbox will tell. */
async function sandboxBeside(life: Lifecycle): Promise<typeof noSandbox> {
  const key = randomUUID();
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  const edge = `127.0.0.1:${await freePort()}`;
  const env = {
    ...{ ...common, PAYMENT_PROVIDER_KEY: key, PAYMENT_NOTICE_SECRET: secret },
    PAYMENT_NOTICE_URL: `http://${edge}/v1/payments/notices/sandbox`,
  };
  const { url } = await startSandbox(sandboxConfig(env), life);
  return {
    url,
    orderEnv: { PAYMENT_PROVIDER_URL: url, PAYMENT_PROVIDER_KEY: key },
    bffEnv: { HTTP_ADDRESS: edge, PAYMENT_NOTICE_SECRETS: `sandbox=${secret}` },
  };
}

async function schedulerBeside(env: Record<string, string>, life: Lifecycle): Promise<{ SCHEDULER_TARGET: string }> {
  const { grpcAddress } = await startScheduler(schedulerConfig(env), life);
  return { SCHEDULER_TARGET: grpcAddress };
}

interface Admin {
  ADMIN_ADDRESS: string;
}

function adminAddresses(count: number): Promise<Admin[]> {
  return Promise.all(Array.from({ length: count }, async () => ({ ADMIN_ADDRESS: `127.0.0.1:${await freePort()}` })));
}

function eachOf<Value>(admins: Admin[], make: (admin: Admin) => Promise<Value>): Promise<Value[]> {
  return Promise.all(admins.map(make));
}

async function sumOf(admins: Admin[], prefix: string): Promise<number> {
  const sums = await Promise.all(admins.map(({ ADMIN_ADDRESS }) => metricAt(ADMIN_ADDRESS, prefix)));
  return sums.reduce((sum, one) => sum + one, 0);
}

function portOf(address: string): number {
  return Number(address.slice(address.lastIndexOf(':') + 1));
}
