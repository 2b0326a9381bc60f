import { Client } from 'pg';
import type { Logger } from '#libs/runtime/logger.js';
import { isOlder, minimumServerVersions } from '#libs/runtime/versions.js';
import { sqlState } from './errors.js';
import {
  type History,
  lackingFiles,
  type Migration,
  MigrationError,
  pendingFiles,
  readSchema,
  type Schema,
} from './history.js';
import type { PostgresPool } from './pool.js';

export interface MigrateOptions {
  /** Connects as the owner of the schema. */
  readonly url: string;
  /** Folder of `NNNN_name.sql`, each applied once, in order, for ever; ends with a slash. */
  readonly directory: URL;
  /** Folder of `name.sql`, each applied again whenever its text changes; ends with a slash. */
  readonly functions?: URL;
  /** Only looks: nothing is written. */
  readonly check?: boolean;
  readonly logger?: Logger;
}

export interface MigrationReport {
  /** Names applied by this run, functions as `functions/name`. */
  readonly applied: readonly string[];
  /** Names that would have been applied, when only checking. */
  readonly pending: readonly string[];
}

/** Rows that are in the database stand in the way of a migration: nothing of it was applied. */
export class MigrationBlocked extends MigrationError {
  override readonly name = 'MigrationBlocked';

  constructor(
    readonly migration: string,
    readonly rows: readonly object[],
  ) {
    const shown = rows.slice(0, SHOWN_ROWS).map((row) => `  ${JSON.stringify(row)}`);
    const more = rows.length > SHOWN_ROWS ? [`  and ${rows.length - SHOWN_ROWS} more`] : [];
    super([`${rows.length} rows stand in the way of migration ${migration}:`, ...shown, ...more].join('\n'));
  }
}

const SHOWN_ROWS = 20;
/** Any number, as long as every migrator of this system uses the same. */
const ADVISORY_LOCK = 4_839_220_551;
/** For the other migrator to finish. */
const TURN_TIMEOUT_MS = 120_000;
/** A migration that waits for a lock holds up everybody behind it: it gives up instead, and is run again. */
const LOCK_TIMEOUT_MS = 5_000;

/**
 * Brings a database to the schema of the files. One migrator works at a time (advisory lock); each migration is one
 * transaction, its record written first, so that even without the lock two of them collide instead of both applying it.
 * Dies it half-way, the transaction is gone and the next run continues there.
 *
 * Errors: MigrationError when files and database do not fit, MigrationBlocked for rows in the way, else the database's.
 */
export async function migrate(options: MigrateOptions): Promise<MigrationReport> {
  const schema = readSchema(options.directory, options.functions);
  const client = new Client({ connectionString: options.url, application_name: 'holdfast-migrate' });
  let lost: Error | undefined;
  client.on('error', (error) => {
    lost = error;
  });
  await client.connect();
  try {
    await refuseOldServer(client);
    return options.check ? await look(client, schema) : await apply(client, schema, options.logger);
  } catch (error) {
    throw lost ?? error;
  } finally {
    await client.end();
  }
}

/** Resolves when the database has the schema of the files, or a later one; else a MigrationError. Only reads. */
export async function assertMigrated(pool: PostgresPool, directory: URL, functions?: URL): Promise<void> {
  const schema = readSchema(directory, functions);
  const rows = await pool.query<HistoryRow>(READ_HISTORY).catch(noRowsIfMissing);
  const lacking = lackingFiles(schema, historyOf(rows));
  if (lacking.length > 0) {
    throw new MigrationError(`the database lacks ${lacking.map((file) => file.name).join(', ')}: run the migrations`);
  }
}

interface HistoryRow {
  readonly name: string;
  readonly sha256: string;
}

const CREATE_HISTORY = `
  CREATE TABLE IF NOT EXISTS schema_history (
    name text PRIMARY KEY,
    sha256 text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
  );
  GRANT SELECT ON schema_history TO PUBLIC`;
const READ_HISTORY = { name: 'schema_history_read', text: 'SELECT name, sha256 FROM schema_history' };
const RECORD = 'INSERT INTO schema_history (name, sha256) VALUES ($1, $2)';
const RECORD_AGAIN = `${RECORD} ON CONFLICT (name) DO UPDATE SET sha256 = excluded.sha256, applied_at = excluded.applied_at`;

async function look(client: Client, schema: Schema): Promise<MigrationReport> {
  const { migrations, functions } = pendingFiles(schema, await readHistory(client));
  await client.query('BEGIN READ ONLY');
  for (const migration of migrations) {
    await client.query('SAVEPOINT checking');
    try {
      await refuseRowsInTheWay(client, migration);
    } catch (error) {
      // It asks about what an earlier pending migration makes: empty as yet, so nothing stands in the way.
      if (!isUndefinedTable(error) && !isUndefinedColumn(error)) throw error;
      await client.query('ROLLBACK TO SAVEPOINT checking');
    }
  }
  await client.query('ROLLBACK');
  return { applied: [], pending: [...migrations, ...functions].map((file) => file.name) };
}

async function apply(client: Client, schema: Schema, logger: Logger | undefined): Promise<MigrationReport> {
  await client.query(`SET lock_timeout = ${TURN_TIMEOUT_MS}`);
  await client.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCK]);
  await client.query(`SET lock_timeout = ${LOCK_TIMEOUT_MS}`);
  await client.query(CREATE_HISTORY);

  const { migrations, functions } = pendingFiles(schema, await readHistory(client));
  for (const migration of migrations) {
    await inTransaction(client, async () => {
      await client.query(RECORD, [migration.name, migration.sha256]);
      await refuseRowsInTheWay(client, migration);
      await client.query(migration.text);
    });
    logger?.info({ migration: migration.name }, 'applied');
  }
  await inTransaction(client, async () => {
    // They may name each other in any order.
    await client.query('SET LOCAL check_function_bodies = off');
    for (const file of functions) {
      await client.query(RECORD_AGAIN, [file.name, file.sha256]);
      await client.query(file.text);
    }
  });
  if (functions.length > 0) logger?.info({ functions: functions.length }, 'applied');
  return { applied: [...migrations, ...functions].map((file) => file.name), pending: [] };
}

async function inTransaction(client: Client, body: () => Promise<void>): Promise<void> {
  await client.query('BEGIN');
  try {
    await body();
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

async function refuseRowsInTheWay(client: Client, migration: Migration): Promise<void> {
  if (migration.check === undefined) return;
  const { rows } = await client.query<object>(migration.check);
  if (rows.length > 0) throw new MigrationBlocked(migration.name, rows);
}

async function refuseOldServer(client: Client): Promise<void> {
  const { rows } = await client.query<{ server_version: string }>('SHOW server_version');
  const version = rows[0]?.server_version ?? '';
  if (isOlder(version, minimumServerVersions.postgres)) {
    throw new MigrationError(`Postgres ${version} is too old: at least ${minimumServerVersions.postgres} is needed`);
  }
}

async function readHistory(client: Client): Promise<History> {
  const rows = await client.query<HistoryRow>(READ_HISTORY.text).then((result) => result.rows, noRowsIfMissing);
  return historyOf(rows);
}

function historyOf(rows: readonly HistoryRow[]): History {
  return new Map(rows.map((row) => [row.name, row.sha256]));
}

function noRowsIfMissing(error: unknown): HistoryRow[] {
  if (isUndefinedTable(error)) return [];
  throw error;
}

function isUndefinedTable(error: unknown): boolean {
  return sqlState(error) === '42P01';
}

function isUndefinedColumn(error: unknown): boolean {
  return sqlState(error) === '42703';
}
