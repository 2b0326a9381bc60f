import { type Ledger, ledgerSchema, openLedger, RUNTIME_ROLE } from '#libs/ledger/ledger.js';
import type { LedgerOrder } from '#libs/ledger/rows.js';
import type { WaitlistEntry } from '#libs/ledger/waitlist-rows.js';
import { StatusReader, statusService } from '#libs/mesh/status-service.js';
import { connectMessaging, type Messaging } from '#libs/messaging/messaging.js';
import { createPool, type PostgresPool } from '#libs/postgres/pool.js';
import { SessionLock } from '#libs/postgres/session-lock.js';
import { whenMigrated } from '#libs/postgres/when-migrated.js';
import { startServer } from '#libs/rpc/server.js';
import { onlyFrom, openTls } from '#libs/rpc/tls.js';
import { startAdmin } from '#libs/runtime/admin.js';
import type { Lifecycle } from '#libs/runtime/lifecycle.js';
import { createMetrics, type Metrics } from '#libs/runtime/metrics.js';
import { Nudge } from '#libs/runtime/nudge.js';
import { ClaimConsumers } from './adapters/claim-consumers.js';
import { hearOrderEvents, hearWaitlistEvents, publishFreed } from './adapters/events.js';
import { orderService } from './adapters/grpc.js';
import { type OrderMetrics, orderMetrics } from './adapters/metrics.js';
import { orderStatus } from './adapters/order-status.js';
import { relayPorts } from './adapters/outbox-relay.js';
import { httpPaymentProvider } from './adapters/payment-provider.js';
import { consumeRefunds } from './adapters/refund-consumer.js';
import { accessService } from './adapters/serve-access.js';
import { alertService } from './adapters/serve-alerts.js';
import { deadLetterService } from './adapters/serve-dead-letters.js';
import { explainService } from './adapters/serve-explain.js';
import { moneyService } from './adapters/serve-money.js';
import { orderDeskService } from './adapters/serve-order-desk.js';
import { waitlistService } from './adapters/serve-waitlist.js';
import { changeOrders } from './app/change-orders.js';
import { AlertCheck, type ShardStanding } from './app/check-alerts.js';
import { endSessions } from './app/end-sessions.js';
import { getOrder } from './app/get-order.js';
import type { PaymentProvider } from './app/ports.js';
import { relayOutbox } from './app/relay-outbox.js';
import { startPayment } from './app/start-payment.js';
import { Watch } from './app/watch.js';
import type { OrderConfig } from './config.js';
import { isFinal } from './domain/order-state.js';

/** Who may call. */
const callers = ['gateway', 'scheduler'];
/** What a scrape waits for the ledger. */
const scrapeDeadlineMs = 500;

/** Starts the service: admin port first, RPCs last; each part is closed in reverse. */
export async function startOrder(
  config: OrderConfig,
  life: Lifecycle,
): Promise<{ grpcAddress: string; adminAddress: string }> {
  const { logger } = life;
  const metrics = createMetrics();
  const tls = openTls(config.tlsDir, life);
  const pool = openPool(config, life, metrics);
  const ledger = openLedger(pool);
  const counted = orderMetrics(metrics, () => ledger.alertsCount({ deadlineMs: scrapeDeadlineMs }));
  const messaging = config.natsUrl === undefined ? undefined : openMessaging(config, config.natsUrl, life, metrics);
  let consumers: ClaimConsumers | undefined;
  const admin = await startAdmin({
    address: config.adminAddress,
    life,
    metrics,
    checks: {
      ledger: async () => Boolean(await ledger.clockRead()),
      ...(messaging && { consumers: () => consumers?.running ?? false }),
    },
  });
  await whenMigrated(pool, { ...ledgerSchema, closing: life.closing, logger });

  const relayNudge = new Nudge();
  const watch = watchOrders({ config, life, ledger, messaging });
  const entryWatch = watchEntries({ config, life, ledger, messaging });
  const shards = (): ShardStanding[] => consumers?.standings() ?? [];
  const alerts = new AlertCheck({
    ledger,
    relays: messaging !== undefined,
    shards,
    failed: (error) => logger.warn({ err: error }, 'an alert could not be raised, it is with the next check'),
  });
  if (messaging) consumers = startStreams({ config, life, ledger, messaging, counted, relayNudge, alerts });
  const provider = providerOf(config);
  if (messaging && provider) {
    const refunds = consumeRefunds({ config, messaging, provider, logger });
    life.closer('refunds', () => refunds.close());
  }

  const changed = (orderIds: readonly string[]): void => {
    watch.changed(orderIds);
    relayNudge.give();
  };
  const change = changeOrders({
    ledger,
    changed,
    freed: (skus) => messaging && publishFreed(messaging, config.shards, skus),
  });
  const server = await startServer({
    address: config.grpcAddress,
    credentials: tls?.server,
    ...onlyFrom(tls, callers),
    services: [
      orderService({
        ...{ ledger, change, watch },
        startPayment: startPayment({ ledger, provider }),
        endSessions: endSessions({
          ...{ ledger, provider },
          failed: (error) => logger.warn({ err: error }, 'the provider was not told that sessions ended'),
        }),
      }),
      moneyService({ ledger, changed }),
      orderDeskService({ ledger, change }),
      waitlistService({ ledger, watch: entryWatch, changed }),
      alertService(ledger, alerts),
      deadLetterService({ ledger, changed }),
      explainService(ledger),
      accessService(ledger, { keepDays: config.accessKeepDays }),
      statusService(statusOf({ config, pool, ledger, messaging, shards })),
    ],
    logger,
    metrics,
    drainMs: config.drainMs,
    reflection: config.reflection,
  });
  life.closer('grpc', () => server.drain());
  server.serving(true);
  return { grpcAddress: server.address, adminAddress: admin.address };
}

function providerOf(config: OrderConfig): PaymentProvider | undefined {
  const { paymentProviderUrl: url, paymentProvider: name, paymentProviderKey: key } = config;
  return url === undefined
    ? undefined
    : httpPaymentProvider({ ...{ name, url, key }, deadlineMs: config.paymentDeadlineMs });
}

interface StatusSources {
  readonly config: OrderConfig;
  readonly pool: PostgresPool;
  readonly ledger: Ledger;
  readonly messaging: Messaging | undefined;
  readonly shards: () => readonly ShardStanding[];
}

function statusOf({ config, pool, ledger, messaging, shards }: StatusSources): StatusReader {
  return new StatusReader({
    instance: config.instance,
    service: 'order',
    servers: {
      postgres: async () => Boolean(await ledger.clockRead()),
      ...(messaging && { nats: async () => messaging.connected }),
    },
    pools: { main: pool },
    own: async () => ({ orders: await orderStatus(ledger, shards()) }),
  });
}

function openPool(config: OrderConfig, life: Lifecycle, metrics: Metrics): PostgresPool {
  const pool = createPool({
    url: config.databaseUrl,
    max: config.postgresConnections,
    applicationName: config.instance,
    role: RUNTIME_ROLE,
    connectTimeoutMs: 2_000,
    // Both within the time a message may stay unanswered.
    statementTimeoutMs: 2_500,
    lockTimeoutMs: 1_000,
    maxWaiting: 1_000,
    metrics,
    logger: life.logger,
  });
  life.closer('postgres', () => pool.close());
  return pool;
}

function openMessaging(config: OrderConfig, url: string, life: Lifecycle, metrics: Metrics): Messaging {
  const messaging = connectMessaging({ url, name: config.instance, logger: life.logger, metrics });
  life.closer('messaging', () => messaging.close());
  return messaging;
}

interface Watching {
  readonly config: OrderConfig;
  readonly life: Lifecycle;
  readonly ledger: Ledger;
  readonly messaging: Messaging | undefined;
}

function watchOrders({ config, life, ledger, messaging }: Watching): Watch<LedgerOrder> {
  const watch = new Watch<LedgerOrder>(
    {
      getOne: (orderId, userId) => getOrder(ledger, orderId, userId),
      read: (orderIds) => ledger.ordersRead(orderIds),
      idOf: ({ orderId }) => orderId,
      isNews: (order, told) => order.version > told.version,
      isFinal: ({ state }) => isFinal(state),
      maxWatchers: config.maxWatchers,
      listen: (changed) => (messaging ? hearOrderEvents(messaging, changed) : () => undefined),
      failed: (error) => life.logger.warn({ err: error }, 'watched orders could not be read'),
    },
    life.closing,
  );
  const watching = watch.run();
  life.closer('watch', () => watching);
  return watch;
}

/** A place that moved on is news, too. */
function watchEntries({ config, life, ledger, messaging }: Watching): Watch<WaitlistEntry> {
  const watch = new Watch<WaitlistEntry>(
    {
      getOne: (entryId, userId) => ledger.waitlistEntryGet({ entryId, ...(userId !== undefined && { userId }) }),
      read: (entryIds) => ledger.waitlistEntriesRead(entryIds),
      idOf: ({ entryId }) => entryId,
      isNews: (entry, told) =>
        entry.version > told.version || (entry.version === told.version && entry.peopleAhead !== told.peopleAhead),
      isFinal: ({ state }) => state !== 'WAITING' && state !== 'OFFERED',
      maxWatchers: config.maxWatchers,
      listen: (changed) => (messaging ? hearWaitlistEvents(messaging, changed) : () => undefined),
      failed: (error) => life.logger.warn({ err: error }, 'watched entries of waitlists could not be read'),
    },
    life.closing,
  );
  const watching = watch.run();
  life.closer('watch of waitlists', () => watching);
  return watch;
}

interface Streams {
  readonly config: OrderConfig;
  readonly life: Lifecycle;
  readonly ledger: Ledger;
  readonly messaging: Messaging;
  readonly counted: OrderMetrics;
  readonly relayNudge: Nudge;
  readonly alerts: AlertCheck;
}

/** What needs NATS: events out and claims in. */
function startStreams({ config, life, ledger, messaging, counted, relayNudge, alerts }: Streams): ClaimConsumers {
  const { logger } = life;
  const lock = new SessionLock({
    url: config.databaseUrl,
    name: 'holdfast outbox relay',
    // Known to outbox_relays by its end.
    applicationName: `${config.instance}-relay`,
    logger,
  });
  life.closer('relay lock', () => lock.release());
  const ports = relayPorts({ config, ledger, messaging, lock, metrics: counted, logger });
  const relaying = relayOutbox(ports, relayNudge, life.closing);
  life.closer('relay', () => relaying);

  const admitted = (): void => relayNudge.give();
  const remade = (shard: number): void => alerts.consumerRemade(shard);
  const consumers = new ClaimConsumers({ config, ledger, messaging, metrics: counted, logger, admitted, remade });
  life.closer('claims', () => consumers.close());
  return consumers;
}
