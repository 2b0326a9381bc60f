import { createTokenVerifier } from '#libs/identity/token-verifier.js';
import { StatusReader, statusService } from '#libs/mesh/status-service.js';
import { isHealthy } from '#libs/redis/check-server.js';
import { openRedis } from '#libs/redis/open-redis.js';
import type { RedisClient } from '#libs/redis/redis-client.js';
import { startServer } from '#libs/rpc/server.js';
import type { Authorize, ServiceImplementation } from '#libs/rpc/service.js';
import { openPublicTls, openTls, type Tls, targetOf } from '#libs/rpc/tls.js';
import { startAdmin } from '#libs/runtime/admin.js';
import type { Lifecycle } from '#libs/runtime/lifecycle.js';
import { createMetrics, type Metrics } from '#libs/runtime/metrics.js';
import { openAccessLog } from './adapters/access.js';
import { createAuthorize } from './adapters/authorize.js';
import { GatewayList, reachableAddress } from './adapters/gateway-list.js';
import { reservationService } from './adapters/grpc.js';
import { connectInventory } from './adapters/inventory.js';
import { operatorServices } from './adapters/operator-services.js';
import { connectOrders } from './adapters/orders.js';
import { paymentService } from './adapters/payments.js';
import { RedisRequests } from './adapters/redis-requests.js';
import { connectWaitlists } from './adapters/waitlists.js';
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
export async function startGateway(
  config: GatewayConfig,
  life: Lifecycle,
): Promise<{ grpcAddress: string; publicAddress: string; adminAddress: string }> {
  const { logger } = life;
  const metrics = createMetrics();
  const tls = openTls(config.tlsDir, life);
  const targets = targetsOf(config, tls);
  const orders = connectOrders(targets.order);
  life.closer('orders', () => orders.close());
  const waitlists = connectWaitlists(targets.order);
  life.closer('waitlists', () => waitlists.close());
  const inventory = connectInventory({
    target: targets.inventory,
    maxInFlight: config.maxInFlight,
    logger,
    metrics,
  });
  life.closer('inventory', () => inventory.close());
  const checks = { inventory: () => inventory.isReachable() };
  const admin = await startAdmin({ address: config.adminAddress, life, metrics, checks });

  const redis = await openGatewayRedis(config, life, metrics);
  const marks = redis && openRequests(redis, config, { life, metrics });
  const requests = config.rateLimits || marks === undefined ? marks : withoutLimits(marks);
  const status = new StatusReader({
    instance: config.instance,
    service: 'gateway',
    servers: redis ? { redis: () => isHealthy(redis) } : {},
  });
  // Where this one listens is known when it does.
  const self: Self = { address: config.grpcAddress, status, list: undefined };
  const server = await startServer({
    address: config.grpcAddress,
    credentials: tls?.server,
    publicly: publiclyBy(config, life),
    authorize: authorizeBy(config, life),
    services: servicesOf({ orders, inventory, waitlists }, requests, { config, life, metrics, self, tls, targets }),
    logger,
    metrics,
    reflection: config.reflection,
  });
  life.closer('grpc', () => server.drain());
  self.address = reachableAddress(server.address);
  if (redis) {
    const list = new GatewayList(redis, self.address);
    life.closer('list of gateways', () => list.close());
    self.list = list;
  }
  server.serving(true);
  return { grpcAddress: server.address, publicAddress: server.publicAddress, adminAddress: admin.address };
}

/** Where it serves those who have no certificate of the mesh; undefined: where it serves the mesh. */
function publiclyBy({ publicGrpcAddress, publicTlsDir }: GatewayConfig, life: Lifecycle) {
  if (publicGrpcAddress === undefined) return undefined;
  return {
    address: publicGrpcAddress,
    credentials: publicTlsDir === undefined ? undefined : openPublicTls(publicTlsDir, life),
  };
}

/** The services behind it. */
function targetsOf(
  { inventoryTarget, orderTarget, schedulerTarget, webhookTarget }: GatewayConfig,
  tls: Tls | undefined,
) {
  return {
    inventory: targetOf(tls, 'inventory', inventoryTarget),
    order: targetOf(tls, 'order', orderTarget),
    ...(schedulerTarget !== undefined && { scheduler: targetOf(tls, 'scheduler', schedulerTarget) }),
    ...(webhookTarget !== undefined && { webhook: targetOf(tls, 'webhook', webhookTarget) }),
  };
}

/** Whom it lets in. */
function authorizeBy({ identity, serviceCertificates }: GatewayConfig, { logger }: Lifecycle): Authorize {
  const onTrouble = (error: unknown): void => logger.error({ err: error }, 'the keys of the issuer cannot be read');
  return createAuthorize(createTokenVerifier({ ...identity, onTrouble }), serviceCertificates);
}

/** What this gateway tells of itself and the others. */
interface Self {
  address: string;
  readonly status: StatusReader;
  list: GatewayList | undefined;
}

interface Surroundings {
  config: GatewayConfig;
  life: Lifecycle;
  metrics: Metrics;
  self: Self;
  tls: Tls | undefined;
  targets: ReturnType<typeof targetsOf>;
}

/** The services that it serves, over the same limits. */
function servicesOf(
  peers: Peers,
  requests: Requests | undefined,
  { config, life, metrics, self, tls, targets }: Surroundings,
): ServiceImplementation[] {
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
  const accesses = openAccessLog({
    ...{ orderTarget: targets.order, instance: config.instance, logger: life.logger, metrics },
    ...{ bufferMax: config.accessBuffer, sampledMax: config.accessSampledPerSecond },
  });
  life.closer('access records', () => accesses.close());
  const forOperators = operatorServices({
    ...{ targets, inventory, configured, callLimits },
    waiting: { waitlists: peers.waitlists, changes },
    own: { address: () => self.address, read: () => self.status.read() },
    otherGateways: async () =>
      ((await self.list?.others()) ?? []).map((address) => ({ address, target: targetOf(tls, 'gateway', address) })),
  });
  life.closer('operators', () => forOperators.close());
  return [
    reservationService({ peers, changes, callLimits, placeWatchers, issuedRequestIds, shards, metrics, accesses }),
    paymentService(changes, callLimits),
    ...forOperators.services,
    statusService(self.status),
  ];
}

/** Where marks, buckets and lines are; undefined without REDIS_URL. */
async function openGatewayRedis(
  config: GatewayConfig,
  life: Lifecycle,
  metrics: Metrics,
): Promise<RedisClient | undefined> {
  const { redisUrl: url, instance } = config;
  const { logger } = life;
  if (url === undefined) {
    logger.warn('there is no REDIS_URL: each gateway limits by itself, and every try of a request is carried out');
    return undefined;
  }
  // The connection gives a command up later than whoever waits for it.
  const commandTimeoutMs = Math.max(1_000, 2 * config.redisTimeoutMs);
  const redis = await openRedis({ url, name: instance, commandTimeoutMs, logger, metrics });
  life.closer('redis', () => redis.disconnect());
  return redis;
}

function openRequests(
  redis: RedisClient,
  config: GatewayConfig,
  { life, metrics }: Pick<Surroundings, 'life' | 'metrics'>,
): RedisRequests {
  const { instance, shards, redisTimeoutMs: callMs, marksKeepHours } = config;
  const user = { perSecond: config.userRatePerSecond, burst: config.userRateBurst };
  const retentionMs = marksKeepHours * 3_600_000;
  const { logger } = life;
  const requests = new RedisRequests({ redis, instance, shards, user, callMs, retentionMs, logger, metrics });
  life.closer('requests', () => requests.close());
  return requests;
}
