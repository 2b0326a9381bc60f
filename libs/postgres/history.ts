import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

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

/** Reads `NNNN_name.sql` and their companions `NNNN_name.check.sql` from a folder, in order. */
export function readMigrations(directory: URL): Migration[] {
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
    if (read[index + 1]?.name.slice(0, 4) === migration.name.slice(0, 4)) {
      throw new MigrationError(`two migrations have the number of ${migration.name}`);
    }
  }
  return read;
}

/** Reads every `name.sql` of a folder of functions, in order of their names. */
export function readFunctions(directory: URL): SchemaFile[] {
  return sqlFilesOf(directory).map((file) => readFile(directory, file, 'functions/'));
}

/** What the database remembers: name -> SHA-256. */
export type History = ReadonlyMap<string, string>;

/**
 * The migrations still to do. Refuses a history that these files cannot have made: one of them changed since it was
 * applied, one that is gone, or a new one numbered before the last that was applied.
 */
export function pendingMigrations(migrations: readonly Migration[], history: History): Migration[] {
  const known = new Set(migrations.map((migration) => migration.name));
  const applied = [...history.keys()].filter((name) => !name.startsWith('functions/')).sort();
  for (const name of applied) {
    if (!known.has(name)) throw new MigrationError(`the database has migration ${name}, which these files lack`);
  }
  const last = applied.at(-1) ?? '';
  return migrations.filter((migration) => {
    const recorded = history.get(migration.name);
    if (recorded === undefined && migration.name < last) {
      throw new MigrationError(
        `migration ${migration.name} comes before ${last}, which is applied: give it a new number`,
      );
    }
    if (recorded !== undefined && recorded !== migration.sha256) {
      throw new MigrationError(`migration ${migration.name} was changed after it was applied: write a new one instead`);
    }
    return recorded === undefined;
  });
}

/** The functions whose text is not the one last applied. */
export function changedFunctions(functions: readonly SchemaFile[], history: History): SchemaFile[] {
  return functions.filter((file) => history.get(file.name) !== file.sha256);
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
