import { claimsStream } from '#libs/contracts/subjects.js';
import { openLedger, RUNTIME_ROLE } from '#libs/ledger/ledger.js';
import type { Messaging } from '#libs/messaging/messaging.js';
import { createPool } from '#libs/postgres/pool.js';
import { SessionLock } from '#libs/postgres/session-lock.js';
import type { RedisClient } from '#libs/redis/redis-client.js';
import type { ServiceImplementation } from '#libs/rpc/service.js';
import type { Lifecycle } from '#libs/runtime/lifecycle.js';
import type { Metrics } from '#libs/runtime/metrics.js';
import type { StreamFigures } from '../app/reconcile/ports.js';
import { Reconcile } from '../app/reconcile/reconcile.js';
import type { SyncGates } from '../app/sync-gates.js';
import type { InventoryConfig } from '../config.js';
import { RedisGateInspection } from './gate-inspection.js';
import type { RedisGate } from './redis-gate.js';
import { reconcileService } from './serve-reconcile.js';

export interface ReconcileParts {
  readonly ledgerNow: () => Date;
  readonly metrics: Metrics;
  /** Absent without Redis. */
  readonly redis: RedisClient | undefined;
  readonly gate: RedisGate | undefined;
  readonly syncGates: SyncGates | undefined;
  /** Absent without NATS. */
  readonly messaging: Messaging | undefined;
}

/** The service of looks and proofs, on connections of its own: a look takes its time, and whoever sells does not wait for it. */
export function openReconcile(
  { databaseUrl: url, instance, shards }: Pick<InventoryConfig, 'databaseUrl' | 'instance' | 'shards'>,
  { ledgerNow, metrics, redis, gate, syncGates, messaging }: ReconcileParts,
  life: Lifecycle,
): ServiceImplementation {
  const { logger } = life;
  const pool = createPool({
    url,
    max: 2,
    applicationName: `${instance}-reconcile`,
    role: RUNTIME_ROLE,
    connectTimeoutMs: 2_000,
    // One sku with a million orders is one snapshot.
    statementTimeoutMs: 120_000,
    lockTimeoutMs: 2_000,
    maxWaiting: 100,
    metrics,
    logger,
  });
  life.closer('postgres of reconcile', () => pool.close());
  const ledger = openLedger(pool);
  const found = metrics.counter('reconcile_findings_total', 'What looks found that did not fit', ['kind', 'mended']);
  const gates = redis && gate && syncGates && { gate, syncGates, inspection: new RedisGateInspection(redis), shards };
  const streams = messaging && streamFigures(messaging);
  const lock = new SessionLock({
    url,
    name: 'holdfast reconcile',
    applicationName: `${instance}-reconcile-lock`,
    logger,
  });
  life.closer('reconcile lock', () => lock.release());
  const reconcile = new Reconcile({
    ...{ ledger, lock, gates, streams, shards, ledgerNow, logger },
    count: ({ kind, mended }) => found.inc({ kind, mended: String(mended) }),
  });
  return reconcileService({ reconcile, ledger, gates, streams, shards, closing: life.closing });
}

function streamFigures(messaging: Messaging): StreamFigures {
  return {
    async claims(shard) {
      const stream = claimsStream(shard);
      const [messages, oldestAt] = await Promise.all([messaging.messagesIn(stream), messaging.oldestStoredAt(stream)]);
      return { messages, ...(oldestAt && { oldestAt }) };
    },
  };
}
