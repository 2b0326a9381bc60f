import { Lifecycle } from '#libs/runtime/lifecycle.js';
import { createLogger } from '#libs/runtime/logger.js';
import { testIdentity } from '#libs/testing/test-issuer.js';
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
import { unlimited } from './unlimited.js';

/** The servers that services rest on. Without Redis or NATS their paths go round them. */
export interface TestServers {
  postgres: string;
  redis?: string;
  nats?: string;
}

/** Addresses of the services that another one calls. */
type Peers<Name extends string> = Record<Name, string>;
type Env = Record<string, string>;

const logger = createLogger('services', 'silent');
const anyAddress = '127.0.0.1:0';

/** Services in the process of a test, each on an address of its own; the last started closes first. */
export class TestServices {
  readonly #lives: Lifecycle[] = [];
  readonly #common: Env;

  constructor({ postgres, redis, nats }: TestServers) {
    this.#common = {
      ...testIdentity(),
      GRPC_ADDRESS: anyAddress,
      HTTP_ADDRESS: anyAddress,
      ADMIN_ADDRESS: anyAddress,
      LOG_LEVEL: 'silent',
      DATABASE_URL: postgres,
      ...(redis !== undefined && { REDIS_URL: redis }),
      ...(nats !== undefined && { NATS_URL: nats }),
    };
  }

  order(env: Env = {}): Promise<{ grpcAddress: string; adminAddress: string }> {
    return this.#start((life) => startOrder(orderConfig({ ...this.#common, ...env }), life));
  }

  inventory(env: Env = {}): Promise<{ grpcAddress: string; adminAddress: string }> {
    return this.#start((life) => startInventory(inventoryConfig({ ...this.#common, ...env }), life));
  }

  scheduler({
    inventory,
    order,
  }: Peers<'inventory' | 'order'>): Promise<{ grpcAddress: string; adminAddress: string }> {
    const env = { ...this.#common, INVENTORY_TARGET: inventory, ORDER_TARGET: order };
    return this.#start((life) => startScheduler(schedulerConfig(env), life));
  }

  webhook(env: Env = {}): Promise<{ grpcAddress: string; adminAddress: string }> {
    return this.#start((life) => startWebhook(webhookConfig({ ...this.#common, ...env }), life));
  }

  gateway(
    { inventory, order }: Peers<'inventory' | 'order'>,
    env: Env = {},
  ): Promise<{ grpcAddress: string; adminAddress: string }> {
    const own = { INSTANCE: `gateway-${this.#lives.length}`, INVENTORY_TARGET: inventory, ORDER_TARGET: order };
    const all = { ...this.#common, ...unlimited, ...own, ...env };
    return this.#start((life) => startGateway(gatewayConfig(all), life));
  }

  bff({ gateway }: Peers<'gateway'>, env: Env = {}): Promise<{ httpAddress: string; adminAddress: string }> {
    return this.#start((life) => startBff(bffConfig({ ...this.#common, GATEWAY_TARGET: gateway, ...env }), life));
  }

  async close(): Promise<void> {
    for (let life = this.#lives.pop(); life; life = this.#lives.pop()) await life.close();
  }

  async #start<Started>(start: (life: Lifecycle) => Promise<Started>): Promise<Started> {
    const life = new Lifecycle(logger);
    this.#lives.push(life);
    const started = await start(life);
    life.ready();
    return started;
  }
}
