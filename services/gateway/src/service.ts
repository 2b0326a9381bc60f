import { startServer } from '#libs/rpc/server.js';
import { startAdmin } from '#libs/runtime/admin.js';
import type { Lifecycle } from '#libs/runtime/lifecycle.js';
import { createMetrics } from '#libs/runtime/metrics.js';
import { controlService } from './adapters/control.js';
import { reservationService } from './adapters/grpc.js';
import { connectInventory } from './adapters/inventory.js';
import { connectOrders } from './adapters/orders.js';
import { CallLimits } from './app/call-limits.js';
import { createChanges } from './app/changes.js';
import { IssuedRequestIds } from './app/issued-request-ids.js';
import { LimitedFaults } from './app/limited-faults.js';
import type { Requests } from './app/ports.js';
import { SkuLimits } from './app/sku-limits.js';
import { PlaceWatchers } from './app/watch-place.js';
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
  const configured = { perSecond: config.ratePerSecond, burst: config.rateBurst };
  const skuLimits = new SkuLimits({ batchGetLimits: inventory.batchGetLimits, configured });
  life.closer('limits', () => skuLimits.close());
  const issuedRequestIds = new IssuedRequestIds(config.requestIdSecrets);
  const limitedFaults = new LimitedFaults(metrics);
  const placeWatchers = new PlaceWatchers({ requests });
  life.closer('places', () => placeWatchers.close());
  const peers = { orders, inventory };
  const changes = createChanges(peers, {
    requests,
    room: new WorkRoom({ maxInFlight, shedAfterMs }),
    limitsOf: (storeId, skuIds) => skuLimits.of(storeId, skuIds),
    issuedRequestIds,
    limitedFaults,
    userLimit,
    shards,
    logger,
  });
  life.closer('changes', () => changes.close());
  const callLimits = new CallLimits({
    requests,
    caller: { perSecond: config.callerRatePerSecond, burst: config.callerRateBurst },
    user: userLimit,
    faults: limitedFaults,
    metrics,
  });
  const server = await startServer({
    address: config.grpcAddress,
    services: [
      reservationService({ peers, changes, callLimits, placeWatchers, issuedRequestIds, shards, metrics }),
      controlService({ inventory, configured, callLimits }),
    ],
    logger,
    metrics,
    reflection: config.reflection,
  });
  life.closer('grpc', () => server.drain());
  server.serving(true);
  return { grpcAddress: server.address };
}
