import { type Ledger, openLedger, RUNTIME_ROLE } from '#libs/ledger/ledger.js';
import { LedgerClock } from '#libs/ledger/ledger-clock.js';
import { createPool, type PostgresPool } from '#libs/postgres/pool.js';
import type { Lifecycle } from '#libs/runtime/lifecycle.js';
import type { Metrics } from '#libs/runtime/metrics.js';
import type { InventoryConfig } from '../config.js';

/** The ledger, and what this process asks it with. */
export interface LedgerParts {
  readonly pool: PostgresPool;
  readonly ledger: Ledger;
  /** For direct admission alone, so that it and everything else do not wait for each other's connections. */
  readonly directPool: PostgresPool;
  readonly directLedger: Ledger;
  readonly clock: LedgerClock;
}

/** Opens no connection yet: the first call does. */
export function openLedgerParts(config: InventoryConfig, life: Lifecycle, metrics: Metrics): LedgerParts {
  const { logger } = life;
  const common = { url: config.databaseUrl, role: RUNTIME_ROLE, connectTimeoutMs: 2000, metrics, logger };
  const pool = createPool({
    ...common,
    max: config.postgresConnections,
    applicationName: config.instance,
    statementTimeoutMs: 5000,
    lockTimeoutMs: 1000,
    maxWaiting: 1000,
  });
  life.closer('postgres', () => pool.close());
  const directPool = createPool({
    ...common,
    max: config.directTurns,
    applicationName: `${config.instance}-direct`,
    // A batch that is too large for a slow ledger must fail while its callers can still be answered by a smaller one.
    statementTimeoutMs: 1000,
    lockTimeoutMs: 500,
    maxWaiting: config.directTurns,
  });
  life.closer('postgres for direct admission', () => directPool.close());
  const ledger = openLedger(pool);
  const clock = new LedgerClock({
    clockRead: () => ledger.clockRead(),
    onError: (error) => logger.warn({ err: error }, 'the clock of the ledger was not read'),
  });
  life.closer('clock', () => clock.stop());
  return { pool, ledger, directPool, directLedger: openLedger(directPool), clock };
}
