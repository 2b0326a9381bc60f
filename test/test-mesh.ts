import { InventoryServiceDefinition } from '#libs/contracts/gen/holdfast/inventory/v1/inventory_service.js';
import { ReservationServiceDefinition } from '#libs/contracts/gen/holdfast/reservation/v1/reservation_service.js';
import { type TestLedger, testLedger } from '#libs/ledger/test-ledger.js';
import { type Client, connect } from '#libs/rpc/client.js';
import { Lifecycle } from '#libs/runtime/lifecycle.js';
import { createLogger } from '#libs/runtime/logger.js';
import type { PrivateServer } from '#libs/servers/private-server.js';
import { type FaultProxy, faultProxy } from '#libs/testing/fault-proxy.js';
import { privateNats, privateRedis } from '#libs/testing/private-servers.js';
import { readConfig as bffConfig } from '../services/bff/src/config.js';
import { startBff } from '../services/bff/src/service.js';
import { readConfig as gatewayConfig } from '../services/gateway/src/config.js';
import { startGateway } from '../services/gateway/src/service.js';
import { readConfig as inventoryConfig } from '../services/inventory/src/config.js';
import { startInventory } from '../services/inventory/src/service.js';
import { readConfig as orderConfig } from '../services/order/src/config.js';
import { startOrder } from '../services/order/src/service.js';

export interface MeshOptions {
  gateways?: number;
  inventories?: number;
}

/** A mesh in this process, on a ledger, a Redis and a NATS of its own. One order service; no scheduler. */
export interface TestMesh {
  /** Base URL of the HTTP edge, which knows every gateway. */
  http: string;
  /** The first gateway. */
  gateway: Client<typeof ReservationServiceDefinition>;
  gatewayAt(index: number): Client<typeof ReservationServiceDefinition>;
  gatewayAddresses: string[];
  /** One client for each inventory, past the proxy. */
  inventories: Client<typeof InventoryServiceDefinition>[];
  inventoryAddresses: string[];
  /** What lies between the gateways and each inventory. */
  proxies: FaultProxy[];
  ledger: TestLedger;
  redis: PrivateServer;
  nats: PrivateServer;
  close(): Promise<void>;
}

const logger = createLogger('mesh', 'silent');
const anyAddress = '127.0.0.1:0';
const common = { GRPC_ADDRESS: anyAddress, HTTP_ADDRESS: anyAddress, ADMIN_ADDRESS: anyAddress, LOG_LEVEL: 'silent' };

export async function startTestMesh({ gateways = 1, inventories = 1 }: MeshOptions = {}): Promise<TestMesh> {
  const [ledger, redis, nats] = await Promise.all([testLedger(), privateRedis(), privateNats()]);
  const lives: Lifecycle[] = [];
  const newLife = (): Lifecycle => {
    const life = new Lifecycle(logger);
    lives.push(life);
    return life;
  };
  const infra = { ...common, DATABASE_URL: ledger.url, REDIS_URL: redis.url, NATS_URL: nats.url };
  const order = await startOrder(orderConfig(infra), newLife());
  const inventoryAddresses = await times(inventories, async () => {
    return (await startInventory(inventoryConfig(infra), newLife())).grpcAddress;
  });
  const proxies = await Promise.all(inventoryAddresses.map((address) => faultProxy('127.0.0.1', portOf(address))));
  const inventoryTarget = proxies.map(({ port }) => `127.0.0.1:${port}`).join();
  const gatewayEnv = { ...common, INVENTORY_TARGET: inventoryTarget, ORDER_TARGET: order.grpcAddress };
  const gatewayAddresses = await times(gateways, async () => {
    return (await startGateway(gatewayConfig(gatewayEnv), newLife())).grpcAddress;
  });
  const { httpAddress } = await startBff(bffConfig({ ...common, GATEWAY_TARGET: gatewayAddresses.join() }), newLife());

  const gatewayClients = gatewayAddresses.map((address) =>
    connect(ReservationServiceDefinition, address, { defaultDeadlineMs: 10_000 }),
  );
  const inventoryClients = inventoryAddresses.map((address) =>
    connect(InventoryServiceDefinition, address, { defaultDeadlineMs: 10_000 }),
  );
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
    inventories: inventoryClients,
    inventoryAddresses,
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

function times<Value>(count: number, make: () => Promise<Value>): Promise<Value[]> {
  return Promise.all(Array.from({ length: count }, make));
}

function portOf(address: string): number {
  return Number(address.slice(address.lastIndexOf(':') + 1));
}
