import { ledgerSchema } from '#libs/ledger/ledger.js';
import { StatusReader, statusService } from '#libs/mesh/status-service.js';
import { connectMessaging, type Messaging } from '#libs/messaging/messaging.js';
import { whenMigrated } from '#libs/postgres/when-migrated.js';
import { isHealthy } from '#libs/redis/check-server.js';
import { openRedis } from '#libs/redis/open-redis.js';
import type { RedisClient } from '#libs/redis/redis-client.js';
import { startServer } from '#libs/rpc/server.js';
import { onlyFrom, openTls } from '#libs/rpc/tls.js';
import { startAdmin } from '#libs/runtime/admin.js';
import type { Lifecycle } from '#libs/runtime/lifecycle.js';
import { createMetrics, type Metrics } from '#libs/runtime/metrics.js';
import { createClaimStream } from './adapters/claim-stream.js';
import { PolledClaimsAge } from './adapters/claims-age.js';
import { controlService } from './adapters/control.js';
import { hearDecisions } from './adapters/decisions.js';
import { inventoryService } from './adapters/grpc.js';
import { openLedgerParts } from './adapters/open-ledger.js';
import { openReconcile } from './adapters/open-reconcile.js';
import { OpossumBreaker } from './adapters/opossum-breaker.js';
import { RedisGate } from './adapters/redis-gate.js';
import { readStockStatus } from './adapters/stock-status.js';
import { AlertBreakers } from './app/alert-breakers.js';
import { PlaceHolds } from './app/place-holds.js';
import { Switches } from './app/switches.js';
import { SyncGates } from './app/sync-gates.js';
import type { InventoryConfig } from './config.js';

/** Who may call; tools put skus on sale. */
const callers = ['gateway', 'scheduler', 'tools'];

/** Starts the service: admin port first, ready last; each part is closed in reverse. */
export async function startInventory(
  config: InventoryConfig,
  life: Lifecycle,
): Promise<{ grpcAddress: string; adminAddress: string }> {
  const { shards } = config;
  const { logger } = life;
  const metrics = createMetrics();
  const tls = openTls(config.tlsDir, life);
  const { pool, directPool, ledger, directLedger, clock } = openLedgerParts(config, life, metrics);
  const ledgerNow = (): Date => clock.now();

  const ledgerAnswers = async (): Promise<boolean> => Boolean(await ledger.clockRead());
  const redis = await openGateRedis(config, life, metrics);
  const messaging = openMessaging(config, life, metrics);
  const admin = await startAdmin({
    address: config.adminAddress,
    life,
    metrics,
    // Without Redis or NATS it still sells; without the ledger it cannot.
    checks: { ledger: ledgerAnswers },
    stats: async () => ({
      ...placeHolds.stats(),
      switches: switches.size,
      redis: redis ? await isHealthy(redis) : null,
      messaging: messaging ? messaging.connected : null,
    }),
  });
  await whenMigrated(pool, { ...ledgerSchema, closing: life.closing, logger });
  await clock.start();
  const switches = new Switches({ switchesInForce: () => ledger.switchesInForce(), ledgerNow, logger });
  life.closer('switches', () => switches.close());
  await switches.start();

  const gate = redis && new RedisGate(redis);
  const syncGates = gate && new SyncGates(ledger, gate, shards);
  const claimsAge = messaging && new PolledClaimsAge(messaging, ledgerNow, logger);
  life.closer('claims age', () => claimsAge?.close());
  const placeHolds = new PlaceHolds({
    ...{ ledger, directLedger, ledgerNow, switches, gate, syncGates, claimsAge, metrics, logger },
    stream: messaging && createClaimStream(messaging),
    openBreaker: (callee, probe) =>
      new OpossumBreaker({ callee, probe, resetMs: config.breakerResetMs, metrics, logger }),
    shards,
    directTurns: config.directTurns,
    maxInFlight: config.maxInFlight,
  });
  life.closer('placing', () => placeHolds.drain());
  const { breakers } = placeHolds;
  const alertBreakers = new AlertBreakers({ breakers, ledger, instance: config.instance, logger });
  life.closer('alerts', () => alertBreakers.close());
  if (messaging) life.closer('decisions', hearDecisions(messaging, shards, placeHolds));

  const status = new StatusReader({
    instance: config.instance,
    service: 'inventory',
    servers: {
      postgres: ledgerAnswers,
      ...(redis && { redis: () => isHealthy(redis) }),
      ...(messaging && { nats: async () => messaging.connected }),
    },
    pools: { main: pool, direct: directPool },
    own: async () => ({ stock: await readStockStatus({ placeHolds, gate, shards }) }),
  });
  const server = await startServer({
    address: config.grpcAddress,
    credentials: tls?.server,
    ...onlyFrom(tls, callers),
    services: [
      statusService(status),
      inventoryService({ ledger, ledgerNow, placeHolds, gate, syncGates, shards, metrics }),
      controlService({ ledger, ledgerNow, placeHolds, gate, syncGates, shards }),
      openReconcile(config, { ledgerNow, metrics, redis, gate, syncGates, messaging }, life),
    ],
    logger,
    metrics,
    reflection: config.reflection,
  });
  life.closer('grpc', () => server.drain());
  server.serving(true);
  return { grpcAddress: server.address, adminAddress: admin.address };
}

/** Undefined: it is set up without one. */
async function openGateRedis(
  { redisUrl, instance, redisTimeoutMs }: InventoryConfig,
  life: Lifecycle,
  metrics: Metrics,
): Promise<RedisClient | undefined> {
  if (redisUrl === undefined) return undefined;
  const { logger } = life;
  const redis = await openRedis({ url: redisUrl, name: instance, commandTimeoutMs: redisTimeoutMs, logger, metrics });
  life.closer('redis', () => redis.disconnect());
  return redis;
}

/** Undefined: it is set up without one. */
function openMessaging(
  { natsUrl, instance }: InventoryConfig,
  life: Lifecycle,
  metrics: Metrics,
): Messaging | undefined {
  if (natsUrl === undefined) return undefined;
  const messaging = connectMessaging({ url: natsUrl, name: instance, logger: life.logger, metrics });
  life.closer('messaging', () => messaging.close());
  return messaging;
}
