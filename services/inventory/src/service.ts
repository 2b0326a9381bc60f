import { ledgerSchema, openLedger, RUNTIME_ROLE } from '#libs/ledger/ledger.js';
import { LedgerClock } from '#libs/ledger/ledger-clock.js';
import { connectMessaging, type Messaging } from '#libs/messaging/messaging.js';
import { createPool } from '#libs/postgres/pool.js';
import { whenMigrated } from '#libs/postgres/when-migrated.js';
import { isHealthy } from '#libs/redis/check-server.js';
import { openRedis } from '#libs/redis/open-redis.js';
import type { RedisClient } from '#libs/redis/redis-client.js';
import { startServer } from '#libs/rpc/server.js';
import { startAdmin } from '#libs/runtime/admin.js';
import type { Lifecycle } from '#libs/runtime/lifecycle.js';
import { createMetrics } from '#libs/runtime/metrics.js';
import { createClaimStream } from './adapters/claim-stream.js';
import { PolledClaimsAge } from './adapters/claims-age.js';
import { controlService } from './adapters/control.js';
import { hearDecisions } from './adapters/decisions.js';
import { inventoryService } from './adapters/grpc.js';
import { RedisGate } from './adapters/redis-gate.js';
import { PlaceHolds } from './app/place-holds.js';
import { SyncGates } from './app/sync-gates.js';
import type { InventoryConfig } from './config.js';

/** Starts the service: admin port first, ready last; each part is closed in reverse. */
export async function startInventory(
  config: InventoryConfig,
  life: Lifecycle,
): Promise<{ grpcAddress: string; adminAddress: string }> {
  const { shards } = config;
  const { logger } = life;
  const metrics = createMetrics();

  const pool = createPool({
    url: config.databaseUrl,
    max: config.postgresConnections,
    applicationName: config.instance,
    role: RUNTIME_ROLE,
    connectTimeoutMs: 2000,
    statementTimeoutMs: 5000,
    lockTimeoutMs: 1000,
    maxWaiting: 1000,
    metrics,
    logger,
  });
  life.closer('postgres', () => pool.close());
  const ledger = openLedger(pool);
  const clock = new LedgerClock({
    clockRead: () => ledger.clockRead(),
    onError: (error) => logger.warn({ err: error }, 'the clock of the ledger was not read'),
  });
  life.closer('clock', () => clock.stop());

  const redis =
    config.redisUrl === undefined || config.stockPath === 'POSTGRES' ? undefined : await openGateRedis(config.redisUrl);
  const messaging = config.natsUrl === undefined ? undefined : openMessaging(config.natsUrl);
  const admin = await startAdmin({
    address: config.adminAddress,
    life,
    metrics,
    // Without Redis or NATS it still sells; without the ledger it cannot.
    checks: { ledger: async () => Boolean(await ledger.clockRead()) },
    stats: async () => ({
      ...placeHolds.stats(),
      redis: redis ? await isHealthy(redis) : null,
      messaging: messaging ? messaging.connected : null,
    }),
  });
  await whenMigrated(pool, { ...ledgerSchema, closing: life.closing, logger });
  await clock.start();

  const gate = redis && new RedisGate(redis);
  const syncGates = gate && new SyncGates(ledger, gate, shards);
  const stream = gate && messaging && createClaimStream(messaging);
  const { directTurns, maxInFlight } = config;
  const ledgerNow = (): Date => clock.now();
  const claimsAge = stream && messaging && new PolledClaimsAge(messaging, ledgerNow, logger);
  if (claimsAge) life.closer('claims age', () => claimsAge.close());
  const placeHolds = new PlaceHolds({
    ledger,
    ledgerNow,
    gate,
    syncGates,
    stream,
    claimsAge,
    shards,
    directTurns,
    maxInFlight,
    metrics,
    logger,
  });
  life.closer('placing', () => placeHolds.drain());
  if (messaging) life.closer('decisions', hearDecisions(messaging, shards, placeHolds, freed));

  const server = await startServer({
    address: config.grpcAddress,
    services: [
      inventoryService({ ledger, ledgerNow, placeHolds, gate, syncGates, shards, metrics }),
      controlService({ ledger, ledgerNow, placeHolds, gate, syncGates, shards }),
    ],
    logger,
    metrics,
  });
  life.closer('grpc', () => server.drain());
  server.serving(true);
  return { grpcAddress: server.address, adminAddress: admin.address };

  async function openGateRedis(url: string): Promise<RedisClient> {
    const client = await openRedis({
      url,
      name: config.instance,
      commandTimeoutMs: config.redisTimeoutMs,
      logger,
      metrics,
    });
    life.closer('redis', () => client.disconnect());
    return client;
  }

  function openMessaging(url: string): Messaging {
    const opened = connectMessaging({ url, name: config.instance, logger, metrics });
    life.closer('messaging', () => opened.close());
    return opened;
  }

  function freed(skuIds: readonly string[]): void {
    placeHolds.freed(skuIds);
    syncGates?.syncSkus(skuIds).catch((error: unknown) => logger.debug({ err: error }, 'gates were not synced'));
  }
}
