import { startServer } from '#libs/rpc/server.js';
import { startAdmin } from '#libs/runtime/admin.js';
import type { Lifecycle } from '#libs/runtime/lifecycle.js';
import { createMetrics } from '#libs/runtime/metrics.js';
import { reservationService } from './adapters/grpc.js';
import { connectInventory } from './adapters/inventory.js';
import { connectOrders } from './adapters/orders.js';
import { createOwnOrders } from './app/own-orders.js';
import { createReserve } from './app/reserve.js';
import type { GatewayConfig } from './config.js';

/** Starts the gateway; it serves when this resolves. Everything it opened is closed by `life`. */
export async function startGateway(config: GatewayConfig, life: Lifecycle): Promise<{ grpcAddress: string }> {
  const { logger } = life;
  const metrics = createMetrics();
  const orders = connectOrders(config.orderTarget);
  life.closer('orders', () => orders.close());
  const inventory = connectInventory({
    target: config.inventoryTarget,
    maxInFlight: config.maxInFlight,
    logger,
    metrics,
  });
  life.closer('inventory', () => inventory.close());
  const checks = { inventory: () => inventory.isReachable() };
  await startAdmin({ address: config.adminAddress, life, metrics, checks });

  const reserve = createReserve({
    placeHold: inventory.placeHold,
    ownOrder: createOwnOrders(orders),
    maxInFlight: config.maxInFlight,
    logger,
  });
  const server = await startServer({
    address: config.grpcAddress,
    services: [reservationService({ orders, inventory }, reserve, metrics)],
    logger,
    metrics,
    reflection: config.reflection,
  });
  life.closer('grpc', () => server.drain());
  server.serving(true);
  return { grpcAddress: server.address };
}
