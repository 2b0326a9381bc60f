import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

const FUNCTIONS = 'functions/';

/** One file of the schema as it is on disk. */
export interface SchemaFile {
  /** `0001_orders`, or `functions/claims_admit`: how the database remembers it. */
  readonly name: string;
  readonly text: string;
  /** SHA-256 of the text, in hex. */
  readonly sha256: string;
}

export interface Migration extends SchemaFile {
  /** Lists, as rows, what stands in the way of this migration. */
  readonly check: string | undefined;
}

/** A schema's files and the database do not fit together; the message says how. */
export class MigrationError extends Error {
  override readonly name: string = 'MigrationError';
}

/** A schema as its files have it. */
export interface Schema {
  readonly migrations: readonly Migration[];
  readonly functions: readonly SchemaFile[];
}

/**
 * Reads `NNNN_name.sql` and their companions `NNNN_name.check.sql` from the one folder, in order, and every `name.sql`
 * from the other, in order of their names.
 */
export function readSchema(migrations: URL, functions: URL | undefined): Schema {
  return {
    migrations: readMigrations(migrations),
    functions: functions ? sqlFilesOf(functions).map((file) => readFile(functions, file, FUNCTIONS)) : [],
  };
}

function readMigrations(directory: URL): Migration[] {
  const files = sqlFilesOf(directory);
  const migrations = files.filter((file) => !file.endsWith('.check.sql'));
  const checks = new Set(files.filter((file) => file.endsWith('.check.sql')));
  const read = migrations.map((file): Migration => {
    if (!/^\d{4}_[a-z0-9_]+\.sql$/.test(file)) {
      throw new MigrationError(`${file} is no name for a migration: give NNNN_name.sql`);
    }
    const check = file.replace(/\.sql$/, '.check.sql');
    const text = checks.delete(check) ? readFileSync(new URL(check, directory), 'utf8') : undefined;
    return { ...readFile(directory, file, ''), check: text };
  });
  for (const check of checks) throw new MigrationError(`${check} has no migration beside it`);
  for (const [index, migration] of read.entries()) {
    if (/(^|;)\s*(commit|rollback)\b/im.test(migration.text)) {
      throw new MigrationError(`${migration.name} ends its own transaction: a migration is one, with its record`);
    }
    if (read[index + 1]?.name.slice(0, 4) === migration.name.slice(0, 4)) {
      throw new MigrationError(`two migrations have the number of ${migration.name}`);
    }
  }
  return read;
}

/** What the database remembers: name -> SHA-256. */
export type History = ReadonlyMap<string, string>;

/**
 * What a migrator still has to do. Refuses a history that these files cannot have made: a migration that is gone or was
 * changed since it was applied, or a new one numbered before the last that was applied.
 */
export function pendingFiles({ migrations, functions }: Schema, history: History): Schema {
  const names = new Set(migrations.map((migration) => migration.name));
  const applied = appliedMigrations(history);
  const gone = applied.find((name) => !names.has(name));
  if (gone) throw new MigrationError(`the database has migration ${gone}, which these files lack`);

  const pending = unapplied(migrations, history);
  const last = applied.at(-1) ?? '';
  const late = pending.find((migration) => migration.name < last);
  if (late) {
    throw new MigrationError(`migration ${late.name} comes before ${last}, which is applied: give it a new number`);
  }
  return { migrations: pending, functions: functions.filter((file) => history.get(file.name) !== file.sha256) };
}

/**
 * What a service needs and the database lacks. The database may be ahead of these files: during a rollout the old
 * release runs beside the new one, whose migrations must bear that, and whose functions are newer.
 */
export function lackingFiles({ migrations, functions }: Schema, history: History): SchemaFile[] {
  const names = new Set(migrations.map((migration) => migration.name));
  const isAhead = appliedMigrations(history).some((name) => !names.has(name));
  const isLacking = (file: SchemaFile): boolean =>
    isAhead ? !history.has(file.name) : history.get(file.name) !== file.sha256;
  return [...unapplied(migrations, history), ...functions.filter(isLacking)];
}

function appliedMigrations(history: History): string[] {
  return [...history.keys()].filter((name) => !name.startsWith(FUNCTIONS)).sort();
}

function unapplied(migrations: readonly Migration[], history: History): Migration[] {
  return migrations.filter(({ name, sha256 }) => {
    const recorded = history.get(name);
    if (recorded !== undefined && recorded !== sha256) {
      throw new MigrationError(`migration ${name} was changed after it was applied: write a new one instead`);
    }
    return recorded === undefined;
  });
}

function sqlFilesOf(directory: URL): string[] {
  return readdirSync(directory)
    .filter((file) => file.endsWith('.sql'))
    .sort();
}

function readFile(directory: URL, file: string, prefix: string): SchemaFile {
  const text = readFileSync(new URL(file, directory), 'utf8');
  return {
    name: prefix + file.replace(/\.sql$/, ''),
    text,
    sha256: createHash('sha256').update(text).digest('hex'),
  };
}
