import { performance } from 'node:perf_hooks';
import { Pool, type PoolClient } from 'pg';
import { Slots } from '#libs/lane/slots.js';
import { Fault } from '#libs/refusal/fault.js';
import type { Logger } from '#libs/runtime/logger.js';
import type { Metrics } from '#libs/runtime/metrics.js';
import { withinDeadline } from '#libs/runtime/within-deadline.js';
import { tracing } from '#libs/tracing/tracing.js';
import { driverOptions } from './driver-options.js';
import { toFault } from './errors.js';
import { Lease } from './lease.js';
import type { Statement } from './statement.js';

export interface PoolOptions {
  /** `postgres://user:password@host:port/database?…` */
  readonly url: string;
  /** Connections at most. */
  readonly max: number;
  /** What `pg_stat_activity` shows. */
  readonly applicationName: string;
  /** Takes on this role at connecting: fewer rights than the user of the URL has. */
  readonly role?: string;
  readonly connectTimeoutMs: number;
  /** The server ends a statement then. Callers wait one second longer, so that its word comes first. */
  readonly statementTimeoutMs: number;
  readonly lockTimeoutMs: number;
  /** Callers in line for a connection at most; the next is told BUSY at once. */
  readonly maxWaiting: number;
  readonly metrics: Metrics;
  readonly logger: Logger;
}

export interface QueryOptions {
  /**
   * For waiting, connecting and the answer together; by default one second more than the statement timeout. Past it:
   * Fault BUSY when the statement was not sent, UNAVAILABLE (outcome unknown) when it was.
   */
  readonly deadlineMs?: number;
}

/** What a transaction's body may use, until it ends. */
export interface Transaction {
  query<Row extends object>(statement: Statement, values?: readonly unknown[]): Promise<Row[]>;
}

/** How the connections of a pool are used. */
export interface PoolStats {
  /** Connections at most; open now; of these idle; given to callers. */
  readonly size: number;
  readonly total: number;
  readonly idle: number;
  readonly inUse: number;
  /** Callers in line for one. */
  readonly waiting: number;
  /** The longest that a caller has waited for one, also in vain. */
  readonly longestWaitMs: number;
}

const BEGIN: Statement = { name: '', text: 'BEGIN' };
const COMMIT: Statement = { name: '', text: 'COMMIT' };
const ROLLBACK: Statement = { name: '', text: 'ROLLBACK' };
/** What a rollback may take although the deadline has passed; then the connection is destroyed instead. */
const ROLLBACK_MS = 500;
const ANSWER_MARGIN_MS = 1_000;

/**
 * Connections to one database. Every call has a deadline, the line for a connection is bounded, and a connection whose
 * state is in doubt is destroyed. bigint columns come as numbers, refused beyond 2^53; array parameters are JavaScript
 * arrays.
 *
 * Errors: Fault UNAVAILABLE (outcome unknown) and BUSY (nothing happened), else the database's own error.
 */
export class PostgresPool {
  readonly #pool: Pool;
  readonly #slots: Slots;
  readonly #broken = new WeakSet<object>();
  readonly #defaultDeadlineMs: number;
  readonly #waitSeconds;
  readonly #querySeconds;
  readonly #transactions;
  #longestWaitMs = 0;

  constructor(options: PoolOptions) {
    this.#defaultDeadlineMs = options.statementTimeoutMs + ANSWER_MARGIN_MS;
    this.#slots = new Slots(options.max, options.maxWaiting, 'database connection');
    this.#pool = new Pool(driverOptions(options));
    // A client without a listener of its own throws when it loses its backend: one stays on it for life.
    this.#pool.on('connect', (client) => {
      client.on('error', () => this.#broken.add(client));
    });
    this.#pool.on('error', (error) => options.logger.warn({ err: error }, 'lost an idle database connection'));

    const { metrics } = options;
    this.#waitSeconds = metrics.histogram('postgres_pool_wait_seconds', 'Waiting for a database connection');
    this.#querySeconds = metrics.histogram('postgres_query_seconds', 'From sending a statement to its answer', [
      'statement',
    ]);
    this.#transactions = metrics.counter('postgres_transactions_total', 'Transactions begun, explicit or not', [
      'statement',
    ]);
  }

  /** One statement, which is a transaction of its own. */
  async query<Row extends object>(
    statement: Statement,
    values: readonly unknown[] = [],
    options: QueryOptions = {},
  ): Promise<Row[]> {
    const lease = await this.#lease(options);
    try {
      this.#transactions.inc({ statement: statement.name });
      return await this.#run<Row>(lease, statement, values);
    } finally {
      this.#endLease(lease);
    }
  }

  /**
   * Runs `body` in one transaction on one connection: committed when it resolves, rolled back when it rejects. Within,
   * only `tx` is used: a second connection taken inside a transaction can wait for ever on the others doing the same.
   * A commit without an answer is Fault UNAVAILABLE: it may have happened. `name` is how it is counted.
   */
  async transaction<Result>(
    body: (tx: Transaction) => Promise<Result>,
    options: QueryOptions & { readonly name?: string } = {},
  ): Promise<Result> {
    const lease = await this.#lease(options);
    let open = true;
    const tx: Transaction = {
      query: async <Row extends object>(statement: Statement, values: readonly unknown[] = []) => {
        if (!open) throw new Error('this transaction has ended');
        return await this.#run<Row>(lease, statement, values);
      },
    };
    try {
      this.#transactions.inc({ statement: options.name ?? 'transaction' });
      await lease.run(BEGIN);
      const result = await body(tx);
      open = false;
      await commit(lease);
      return result;
    } catch (error) {
      open = false;
      await rollback(lease);
      throw error;
    } finally {
      this.#endLease(lease);
    }
  }

  stats(): PoolStats {
    const { size, inUse, waiting } = this.#slots;
    const { totalCount: total, idleCount: idle } = this.#pool;
    return { size, total, idle, inUse, waiting, longestWaitMs: Math.round(this.#longestWaitMs) };
  }

  /** Refuses new calls, waits for those that run, and closes all connections. */
  close(): Promise<void> {
    return this.#pool.end();
  }

  async #run<Row extends object>(lease: Lease, statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    const stop = this.#querySeconds.startTimer({ statement: statement.name });
    const span = tracing?.asks('CLIENT', statement.name, {
      'db.system.name': 'postgresql',
      'db.operation.name': statement.name,
    });
    try {
      return (await lease.run<Row>(statement, values)).rows;
    } catch (error) {
      span?.fail(error);
      throw error;
    } finally {
      stop();
      span?.end();
    }
  }

  async #lease({ deadlineMs = this.#defaultDeadlineMs }: QueryOptions): Promise<Lease> {
    const startedAt = performance.now();
    const deadlineAt = startedAt + deadlineMs;
    const stop = this.#waitSeconds.startTimer();
    try {
      await this.#slots.take(deadlineMs);
      const client = await this.#connect(deadlineAt - performance.now());
      return new Lease(client, deadlineAt, this.#broken);
    } finally {
      stop();
      this.#longestWaitMs = Math.max(this.#longestWaitMs, performance.now() - startedAt);
    }
  }

  async #connect(timeoutMs: number): Promise<PoolClient> {
    const connecting = this.#pool.connect();
    try {
      return await withinDeadline(connecting, timeoutMs, tooLate);
    } catch (error) {
      // It may come all the same: the permit is kept until then, so that there are never more than `max`.
      const giveBack = (): void => this.#slots.give();
      connecting.then((client) => client.release()).then(giveBack, giveBack);
      throw toFault(error, true);
    }
  }

  #endLease(lease: Lease): void {
    lease.end();
    this.#slots.give();
  }
}

/** Opens no connection yet: the first call does. */
export function createPool(options: PoolOptions): PostgresPool {
  return new PostgresPool(options);
}

async function commit(lease: Lease): Promise<void> {
  const { command } = await lease.run(COMMIT);
  // A transaction in which a statement failed is rolled back by COMMIT, and the driver calls that a success.
  if (command !== 'COMMIT') {
    throw new Fault('INTERNAL', 'the transaction was rolled back: a statement in it had failed and was ignored');
  }
}

async function rollback(lease: Lease): Promise<void> {
  try {
    await lease.run(ROLLBACK, [], performance.now() + ROLLBACK_MS);
  } catch {
    lease.spoil();
  }
}

function tooLate(): Fault {
  return new Fault('BUSY', 'no database connection could be opened in time');
}
