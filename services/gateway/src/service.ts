import { startServer } from '#libs/rpc/server.js';
import { startAdmin } from '#libs/runtime/admin.js';
import type { Lifecycle } from '#libs/runtime/lifecycle.js';
import { createMetrics } from '#libs/runtime/metrics.js';
import { reservationService } from './adapters/grpc.js';
import { connectInventory } from './adapters/inventory.js';
import { connectOrders } from './adapters/orders.js';
import { createChanges } from './app/changes.js';
import { IssuedRequestIds } from './app/issued-request-ids.js';
import { LimitedFaults } from './app/limited-faults.js';
import type { Requests } from './app/ports.js';
import { SkuLimits } from './app/sku-limits.js';
import { WorkRoom } from './app/work-room.js';
import type { GatewayConfig } from './config.js';

/** Starts the gateway; it serves when this resolves. Everything it opened is closed by `life`. */
export async function startGateway(config: GatewayConfig, life: Lifecycle): Promise<{ grpcAddress: string }> {
  const { logger } = life;
  const { shards, maxInFlight, shedAfterMs } = config;
  const metrics = createMetrics();
  const orders = connectOrders(config.orderTarget);
  life.closer('orders', () => orders.close());
  const inventory = connectInventory({ target: config.inventoryTarget, maxInFlight, logger, metrics });
  life.closer('inventory', () => inventory.close());
  const checks = { inventory: () => inventory.isReachable() };
  await startAdmin({ address: config.adminAddress, life, metrics, checks });

  const requests: Requests | undefined = undefined;
  const userLimit = { perSecond: config.userRatePerSecond, burst: config.userRateBurst };
  const skuLimits = new SkuLimits({
    batchGetLimits: inventory.batchGetLimits,
    configured: { perSecond: config.ratePerSecond, burst: config.rateBurst },
  });
  life.closer('limits', () => skuLimits.close());
  const changes = createChanges(
    { orders, inventory },
    {
      requests,
      room: new WorkRoom({ maxInFlight, shedAfterMs }),
      limitsOf: (storeId, skuIds) => skuLimits.of(storeId, skuIds),
      issuedRequestIds: new IssuedRequestIds(config.requestIdSecrets),
      limitedFaults: new LimitedFaults(metrics),
      userLimit,
      shards,
      logger,
    },
  );
  life.closer('changes', () => changes.close());
  const server = await startServer({
    address: config.grpcAddress,
    services: [reservationService({ orders, inventory }, changes, metrics)],
    logger,
    metrics,
    reflection: config.reflection,
  });
  life.closer('grpc', () => server.drain());
  server.serving(true);
  return { grpcAddress: server.address };
}
