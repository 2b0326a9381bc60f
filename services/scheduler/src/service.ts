import { AlertServiceDefinition } from '#libs/contracts/gen/holdfast/control/v1/alert_service.js';
import { ReconcileServiceDefinition } from '#libs/contracts/gen/holdfast/control/v1/reconcile_service.js';
import { InventoryServiceDefinition } from '#libs/contracts/gen/holdfast/inventory/v1/inventory_service.js';
import { AccessServiceDefinition } from '#libs/contracts/gen/holdfast/order/v1/access_service.js';
import { OrderServiceDefinition } from '#libs/contracts/gen/holdfast/order/v1/order_service.js';
import { WaitlistServiceDefinition } from '#libs/contracts/gen/holdfast/waitlist/v1/waitlist_service.js';
import { ledgerSchema, openLedger, RUNTIME_ROLE } from '#libs/ledger/ledger.js';
import { LedgerClock } from '#libs/ledger/ledger-clock.js';
import { StatusReader, statusService } from '#libs/mesh/status-service.js';
import { createPool, type PostgresPool } from '#libs/postgres/pool.js';
import { whenMigrated } from '#libs/postgres/when-migrated.js';
import { connect } from '#libs/rpc/client.js';
import { startServer } from '#libs/rpc/server.js';
import { onlyFrom, openTls, type Tls, targetOf } from '#libs/rpc/tls.js';
import { startAdmin } from '#libs/runtime/admin.js';
import type { Lifecycle } from '#libs/runtime/lifecycle.js';
import { createMetrics, type Metrics } from '#libs/runtime/metrics.js';
import { Trouble } from '#libs/runtime/trouble.js';
import { schedulerService } from './adapters/grpc.js';
import { createJobs, type Job } from './app/jobs.js';
import { JobRunner } from './app/run-jobs.js';
import type { SchedulerConfig } from './config.js';

/** Who may call. */
const callers = ['gateway'];
const callDeadlineMs = 5_000;

/** Starts the service: admin port first, RPCs last; each part is closed in reverse. */
export async function startScheduler(
  config: SchedulerConfig,
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
    service: 'scheduler',
    servers: { postgres: answers },
    pools: { main: pool },
  });
  const admin = await startAdmin({
    address: config.adminAddress,
    life,
    metrics,
    checks: { ledger: answers },
  });
  await whenMigrated(pool, { ...ledgerSchema, closing: life.closing, logger });
  const clock = new LedgerClock({ clockRead: () => ledger.clockRead() });
  await clock.start();
  life.closer('clock', () => clock.stop());

  const jobs = createJobs({ ...openClients(config, tls, life), now: () => clock.now() });
  const failures = metrics.counter('job_failures_total', 'Runs of jobs that failed', ['job']);
  const troubles = new Map(jobs.map((job) => [job, troubleOf(job, life)]));
  const runner = new JobRunner(
    {
      agenda: ledger,
      failed: (job, error) => {
        failures.inc({ job: job.name });
        troubles.get(job)?.wrong({ err: error });
      },
      went: (job) => troubles.get(job)?.well(),
    },
    jobs,
    life.closing,
  );
  const running = runner.run();
  life.closer('jobs', () => running);

  const server = await startServer({
    address: config.grpcAddress,
    credentials: tls?.server,
    ...onlyFrom(tls, callers),
    services: [schedulerService(ledger, jobs, life.closing), statusService(status)],
    logger,
    metrics,
    drainMs: config.drainMs,
    reflection: config.reflection,
  });
  life.closer('grpc', () => server.drain());
  server.serving(true);
  return { grpcAddress: server.address, adminAddress: admin.address };
}

function troubleOf(job: Job, { logger }: Lifecycle): Trouble {
  return new Trouble({
    logger: logger.child({ job: job.name }),
    wrong: 'a job failed, it is tried again',
    well: 'a job runs again',
  });
}

/** Whom the jobs call; looks set deadlines of their own. */
function openClients(config: SchedulerConfig, tls: Tls | undefined, life: Lifecycle) {
  const options = { defaultDeadlineMs: callDeadlineMs };
  const orderTarget = targetOf(tls, 'order', config.orderTarget);
  const inventoryTarget = targetOf(tls, 'inventory', config.inventoryTarget);
  const clients = {
    order: connect(OrderServiceDefinition, orderTarget, options),
    waitlist: connect(WaitlistServiceDefinition, orderTarget, options),
    access: connect(AccessServiceDefinition, orderTarget, options),
    alerts: connect(AlertServiceDefinition, orderTarget, options),
    inventory: connect(InventoryServiceDefinition, inventoryTarget, options),
    reconcile: connect(ReconcileServiceDefinition, inventoryTarget, options),
  };
  for (const [name, client] of Object.entries(clients)) life.closer(`${name} client`, () => client.close());
  return clients;
}

function openPool(config: SchedulerConfig, life: Lifecycle, metrics: Metrics): PostgresPool {
  const pool = createPool({
    url: config.databaseUrl,
    // The agenda is a few short calls a second.
    max: 2,
    applicationName: config.instance,
    role: RUNTIME_ROLE,
    connectTimeoutMs: 2_000,
    statementTimeoutMs: 2_500,
    lockTimeoutMs: 1_000,
    maxWaiting: 100,
    metrics,
    logger: life.logger,
  });
  life.closer('postgres', () => pool.close());
  return pool;
}
