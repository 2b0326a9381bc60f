import { type Ledger, ledgerSchema, openLedger, RUNTIME_ROLE } from '#libs/ledger/ledger.js';
import { StatusReader, statusService } from '#libs/mesh/status-service.js';
import { createPool, type PostgresPool } from '#libs/postgres/pool.js';
import { SessionLock } from '#libs/postgres/session-lock.js';
import { whenMigrated } from '#libs/postgres/when-migrated.js';
import { startServer } from '#libs/rpc/server.js';
import { onlyFrom, openTls } from '#libs/rpc/tls.js';
import { startAdmin } from '#libs/runtime/admin.js';
import type { Lifecycle } from '#libs/runtime/lifecycle.js';
import { createMetrics, type Metrics } from '#libs/runtime/metrics.js';
import { Nudge } from '#libs/runtime/nudge.js';
import { Trouble } from '#libs/runtime/trouble.js';
import { webhookService } from './adapters/grpc.js';
import { httpSender } from './adapters/http-sender.js';
import { resolveBy } from './adapters/resolve.js';
import { addDeliveries } from './app/add-deliveries.js';
import { deliver, type Send } from './app/deliver.js';
import { followOutbox } from './app/follow-outbox.js';
import { pruneDeliveries } from './app/prune.js';
import { sendDue } from './app/send-due.js';
import type { WebhookConfig } from './config.js';

/** Who may call. */
const callers = ['gateway'];
const hourMs = 3_600_000;

/** Starts the service: admin port first, RPCs last; each part is closed in reverse. */
export async function startWebhook(
  config: WebhookConfig,
  life: Lifecycle,
): Promise<{ grpcAddress: string; adminAddress: string }> {
  const { logger } = life;
  const metrics = createMetrics();
  const tls = openTls(config.tlsDir, life);
  const pool = openPool(config, life, metrics);
  const ledger = openLedger(pool);
  const answers = async (): Promise<boolean> => Boolean(await ledger.clockRead());
  const status = new StatusReader({
    instance: config.instance,
    service: 'webhook',
    servers: { postgres: answers },
    pools: { main: pool },
  });
  const checks = { ledger: answers };
  const admin = await startAdmin({ address: config.adminAddress, life, metrics, checks });
  await whenMigrated(pool, { ...ledgerSchema, closing: life.closing, logger });

  const { allowPrivate, timeoutMs } = config;
  const sender = httpSender({ allowPrivate, timeoutMs, resolve: resolveBy(config) });
  life.closer('connections', () => sender.close());
  const nudge = new Nudge();
  startAdding(life, ledger, nudge);
  startSending({ config, life, ledger, metrics, nudge, send: sender.send });
  if (config.followOutbox) startFollowing(config, life, ledger);

  const overlapMs = config.secretOverlapHours * hourMs;
  const server = await startServer({
    address: config.grpcAddress,
    credentials: tls?.server,
    ...onlyFrom(tls, callers),
    services: [webhookService({ ledger, send: sender.send, allowPrivate, overlapMs }), statusService(status)],
    logger,
    metrics,
    drainMs: config.drainMs,
    reflection: config.reflection,
  });
  life.closer('grpc', () => server.drain());
  server.serving(true);
  return { grpcAddress: server.address, adminAddress: admin.address };
}

interface Sending {
  config: WebhookConfig;
  life: Lifecycle;
  ledger: Ledger;
  metrics: Metrics;
  nudge: Nudge;
  send: Send;
}

function startSending({ config, life, ledger, metrics, nudge, send }: Sending): void {
  const attempts = metrics.counter('webhook_attempts_total', 'Attempts to send a webhook, by how they ended', [
    'outcome',
  ]);
  const trouble = new Trouble({
    logger: life.logger,
    wrong: 'webhooks could not be seen to, they are tried again',
    well: 'webhooks are seen to again',
  });
  const failed = (error: unknown): void => trouble.wrong({ err: error });
  const ports = {
    ...{ ledger, send, now: () => new Date(), random: () => Math.random() },
    disableAfterMs: config.disableAfterHours * hourMs,
  };
  const { maxInFlight, timeoutMs } = config;
  const sending = sendDue(
    {
      ...{
        ledger,
        nudge,
        maxInFlight,
        timeoutMs,
        failed,
        went: () => trouble.well(),
        monotonic: () => performance.now(),
      },
      async deliver(claimed) {
        const outcome = await deliver(ports, claimed);
        attempts.inc({ outcome: (outcome ?? 'LEASE_LOST').toLowerCase() });
      },
    },
    life.closing,
  );
  const keepMs = config.keepDays * 24 * hourMs;
  const pruning = pruneDeliveries({ ledger, keepMs, failed }, life.closing);
  life.closer('webhooks', () => Promise.all([sending, pruning]));
}

function startAdding(life: Lifecycle, ledger: Ledger, nudge: Nudge): void {
  const trouble = new Trouble({
    logger: life.logger,
    wrong: 'webhooks of what was told could not be written, they are tried again',
    well: 'webhooks of what was told are written again',
  });
  const ports = {
    ...{ ledger, added: () => nudge.give(), failed: (error: unknown) => trouble.wrong({ err: error }) },
    went: () => trouble.well(),
  };
  const adding = addDeliveries(ports, life.closing);
  life.closer('deliveries', () => adding);
}

/** Nobody relays events here, so this process takes them out; the lock is the relay's, so that never two do. */
function startFollowing(config: WebhookConfig, life: Lifecycle, ledger: Ledger): void {
  const { logger } = life;
  const applicationName = `${config.instance}-outbox`;
  const lock = new SessionLock({ url: config.databaseUrl, name: 'holdfast outbox relay', applicationName, logger });
  life.closer('outbox lock', () => lock.release());
  const trouble = new Trouble({
    logger,
    wrong: 'the outbox could not be followed, it is tried again',
    well: 'the outbox is followed again',
  });
  const following = followOutbox(
    {
      ...{ ledger, isMine: () => lock.tryHold(), giveUp: () => lock.release() },
      failed: (error) => trouble.wrong({ err: error }),
      went: () => trouble.well(),
    },
    life.closing,
  );
  life.closer('outbox', () => following);
}

function openPool(config: WebhookConfig, life: Lifecycle, metrics: Metrics): PostgresPool {
  const pool = createPool({
    url: config.databaseUrl,
    // Claims and notes are short; what is in flight waits for endpoints, not for the ledger.
    max: 4,
    applicationName: config.instance,
    role: RUNTIME_ROLE,
    connectTimeoutMs: 2_000,
    statementTimeoutMs: 5_000,
    lockTimeoutMs: 2_000,
    maxWaiting: 2_000,
    metrics,
    logger: life.logger,
  });
  life.closer('postgres', () => pool.close());
  return pool;
}
