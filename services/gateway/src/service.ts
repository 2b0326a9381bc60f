import { openRedis } from '#libs/redis/open-redis.js';
import { connect } from '#libs/rpc/client.js';
import { startServer } from '#libs/rpc/server.js';
import { startAdmin } from '#libs/runtime/admin.js';
import type { Lifecycle } from '#libs/runtime/lifecycle.js';
import { createMetrics, type Metrics } from '#libs/runtime/metrics.js';
import { controlService, stockControl } from './adapters/control.js';
import { reservationService } from './adapters/grpc.js';
import { defaultDeadlineMs } from './adapters/inner-calls.js';
import { connectInventory } from './adapters/inventory.js';
import { connectOrders } from './adapters/orders.js';
import { RedisRequests } from './adapters/redis-requests.js';
import { createChanges } from './app/changes.js';
import { IssuedRequestIds } from './app/issued-request-ids.js';
import { CallLimits } from './app/limits/call-limits.js';
import { LimitedFaults } from './app/limits/limited-faults.js';
import { LocalBuckets } from './app/limits/local-buckets.js';
import { SkuLimits } from './app/limits/sku-limits.js';
import { withoutLimits } from './app/limits/without-limits.js';
import { WorkRoom } from './app/limits/work-room.js';
import type { Peers, Requests } from './app/ports.js';
import { PlaceWatchers } from './app/watch-place.js';
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

  const marks = await openRequests(config, life, metrics);
  const requests = config.rateLimits || marks === undefined ? marks : withoutLimits(marks);
  const server = await startServer({
    address: config.grpcAddress,
    services: servicesOf({ orders, inventory }, requests, { config, life, metrics }),
    logger,
    metrics,
    reflection: config.reflection,
  });
  life.closer('grpc', () => server.drain());
  server.serving(true);
  return { grpcAddress: server.address };
}

interface Surroundings {
  config: GatewayConfig;
  life: Lifecycle;
  metrics: Metrics;
}

/** The two services that it serves, over the same limits. */
function servicesOf(peers: Peers, requests: Requests | undefined, { config, life, metrics }: Surroundings) {
  const stock = connect(stockControl, config.inventoryTarget, { defaultDeadlineMs });
  life.closer('stock control', () => stock.close());
  const { shards, maxInFlight, shedAfterMs } = config;
  const { inventory } = peers;
  const user = { perSecond: config.userRatePerSecond, burst: config.userRateBurst };
  const caller = { perSecond: config.callerRatePerSecond, burst: config.callerRateBurst };
  const configured = { perSecond: config.ratePerSecond, burst: config.rateBurst };
  const skuLimits = new SkuLimits({ batchGetLimits: inventory.batchGetLimits, configured });
  life.closer('limits', () => skuLimits.close());
  const placeWatchers = new PlaceWatchers({ requests });
  life.closer('places', () => placeWatchers.close());
  const issuedRequestIds = new IssuedRequestIds(config.requestIdSecrets);
  const limitedFaults = new LimitedFaults(metrics);
  const callLimits = new CallLimits({ requests, caller, user, faults: limitedFaults, metrics });
  const changes = createChanges(peers, {
    requests,
    localBuckets: new LocalBuckets({ requests, user }),
    room: new WorkRoom({ maxInFlight, shedAfterMs }),
    limitsOf: (storeId, skuIds) => skuLimits.of(storeId, skuIds),
    issuedRequestIds,
    limitedFaults,
    shards,
    logger: life.logger,
  });
  life.closer('changes', () => changes.close());
  return [
    reservationService({ peers, changes, callLimits, placeWatchers, issuedRequestIds, shards, metrics }),
    controlService({ stock, inventory, configured, callLimits }),
  ];
}

/** Marks, buckets and lines in Redis; without REDIS_URL there are none. */
async function openRequests(
  config: GatewayConfig,
  life: Lifecycle,
  metrics: Metrics,
): Promise<RedisRequests | undefined> {
  const { redisUrl: url, instance, shards } = config;
  const { logger } = life;
  if (url === undefined) {
    logger.warn('there is no REDIS_URL: each gateway limits by itself, and every try of a request is carried out');
    return undefined;
  }
  // The connection gives a command up later than whoever waits for it.
  const commandTimeoutMs = Math.max(1_000, 2 * config.redisTimeoutMs);
  const redis = await openRedis({ url, name: instance, commandTimeoutMs, logger, metrics });
  life.closer('redis', () => redis.disconnect());
  const user = { perSecond: config.userRatePerSecond, burst: config.userRateBurst };
  const callMs = config.redisTimeoutMs;
  const requests = new RedisRequests({ redis, instance, shards, user, callMs, logger, metrics });
  life.closer('requests', () => requests.close());
  return requests;
}
