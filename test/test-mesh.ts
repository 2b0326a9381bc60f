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
import { readConfig as webhookConfig } from '../services/webhook/src/config.js';
import { startWebhook } from '../services/webhook/src/service.js';
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
  /** Also a webhook service, which sends to private addresses. */
  webhook?: boolean;
  /** Also a payment sandbox, which the order service knows and which knows the edge. */
  sandbox?: boolean;
  /** What Redis has seen survives its death. */
  durableRedis?: boolean;
}

export interface MeshProcess {
  service: string;
  adminAddress: string;
  /** Of those that serve gRPC. */
  grpcAddress?: string | undefined;
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
  processes: readonly MeshProcess[];
  /** Base URL of the payment sandbox; empty when there is none. */
  sandbox: string;
  /** What lies between the gateways and each inventory. */
  proxies: FaultProxy[];
  ledger: TestLedger;
  redis: PrivateServer;
  nats: PrivateServer;
  close(): Promise<void>;
}

type Env = Readonly<Record<string, string>>;

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
  const { gateways = 1, inventories = 1, gatewayEnv: ownEnv, durableRedis = false } = options;
  const redisOptions = { appendonly: durableRedis };
  const [ledger, redis, nats] = await Promise.all([testLedger(), privateRedis(redisOptions), privateNats()]);
  const house = new House();
  const infra = { ...common, DATABASE_URL: ledger.url, REDIS_URL: redis.url, NATS_URL: nats.url };
  const payments = options.sandbox === true ? await sandboxBeside(house) : noSandbox;
  const order = await house.start('order', (life) => startOrder(orderConfig({ ...infra, ...payments.orderEnv }), life));
  const inventoryAddresses = await addressesOf(inventories, () =>
    house.start('inventory', (life) => startInventory(inventoryConfig(infra), life)),
  );
  const proxies = await Promise.all(inventoryAddresses.map((address) => faultProxy('127.0.0.1', portOf(address))));
  const inventoryTarget = proxies.map(({ port }) => `127.0.0.1:${port}`).join();
  const targets = { INVENTORY_TARGET: inventoryTarget, ORDER_TARGET: order.grpcAddress };
  const others = await othersBeside(options, { ...infra, ...targets }, house);
  const gatewayEnv = { ...common, ...unlimited, ...targets, REDIS_URL: redis.url, ...others, ...ownEnv };
  const gatewayAddresses = await addressesOf(gateways, (index) => {
    const config = gatewayConfig({ ...gatewayEnv, INSTANCE: `gateway-${index}` });
    return house.start('gateway', (life) => startGateway(config, life), options.gatewayLogger);
  });
  const bffEnv = { ...common, GATEWAY_TARGET: gatewayAddresses.join(), ...payments.bffEnv, ...options.bffEnv };
  const { httpAddress } = await house.start('bff', (life) => startBff(bffConfig(bffEnv), life));

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
    gatewayMetric: (prefix) => house.metric('gateway', prefix),
    inventoryMetric: (prefix) => house.metric('inventory', prefix),
    inventories: inventoryClients,
    inventoryAddresses,
    processes: house.processes,
    sandbox: payments.url,
    proxies,
    ledger,
    redis,
    nats,
    async close() {
      for (const client of [...gatewayClients, ...inventoryClients]) client.close();
      await house.close();
      await Promise.all(proxies.map((proxy) => proxy.close()));
      await Promise.all([ledger.drop(), redis.stop(), nats.stop()]);
    },
  };
}

/** The processes of a mesh; the last started closes first. */
class House {
  readonly processes: MeshProcess[] = [];
  readonly #lives: Lifecycle[] = [];

  async start<Started extends Omit<MeshProcess, 'service'>>(
    service: string,
    start: (life: Lifecycle) => Promise<Started>,
    log = logger,
  ): Promise<Started> {
    const life = new Lifecycle(log);
    this.#lives.push(life);
    const started = await start(life);
    life.ready();
    const { adminAddress, grpcAddress } = started;
    this.processes.push({ service, adminAddress, grpcAddress });
    return started;
  }

  /** The sum over all processes of a service. */
  async metric(service: string, prefix: string): Promise<number> {
    const processes = this.processes.filter((process) => process.service === service);
    const sums = await Promise.all(processes.map(({ adminAddress }) => metricAt(adminAddress, prefix)));
    return sums.reduce((sum, one) => sum + one, 0);
  }

  async close(): Promise<void> {
    for (let life = this.#lives.pop(); life; life = this.#lives.pop()) await life.close();
  }
}

const noSandbox = { url: '', orderEnv: {}, bffEnv: {} };

/** A sandbox, and the settings by which the services know it. The edge listens where the sandbox will tell. */
async function sandboxBeside(house: House): Promise<typeof noSandbox> {
  const key = randomUUID();
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  const edge = `127.0.0.1:${await freePort()}`;
  const env = {
    ...{ ...common, PAYMENT_PROVIDER_KEY: key, PAYMENT_NOTICE_SECRET: secret },
    PAYMENT_NOTICE_URL: `http://${edge}/v1/payments/notices/sandbox`,
  };
  const { url } = await house.start('sandbox', (life) => startSandbox(sandboxConfig(env), life));
  return {
    url,
    orderEnv: { PAYMENT_PROVIDER_URL: url, PAYMENT_PROVIDER_KEY: key },
    bffEnv: { HTTP_ADDRESS: edge, PAYMENT_NOTICE_SECRETS: `sandbox=${secret}` },
  };
}

/** The services that not every mesh has, and how the gateway knows them. */
async function othersBeside({ scheduler, webhook }: MeshOptions, env: Env, house: House): Promise<Env> {
  const targets: Record<string, string> = {};
  if (scheduler === true) {
    const started = await house.start('scheduler', (life) => startScheduler(schedulerConfig(env), life));
    targets.SCHEDULER_TARGET = started.grpcAddress;
  }
  if (webhook === true) {
    const config = webhookConfig({ ...env, WEBHOOK_ALLOW_PRIVATE: 'true' });
    targets.WEBHOOK_TARGET = (await house.start('webhook', (life) => startWebhook(config, life))).grpcAddress;
  }
  return targets;
}

function addressesOf(count: number, start: (index: number) => Promise<{ grpcAddress: string }>): Promise<string[]> {
  return Promise.all(Array.from({ length: count }, async (_, index) => (await start(index)).grpcAddress));
}

function portOf(address: string): number {
  return Number(address.slice(address.lastIndexOf(':') + 1));
}
