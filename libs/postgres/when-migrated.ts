import { setTimeout as rest } from 'node:timers/promises';
import type { Logger } from '#libs/runtime/logger.js';
import { transient } from './errors.js';
import { assertMigrated } from './migrate.js';
import type { PostgresPool } from './pool.js';

const RETRY_MS = 1_000;

export interface WhenMigratedOptions {
  readonly directory: URL;
  readonly functions?: URL;
  readonly closing: AbortSignal;
  readonly logger: Logger;
}

/**
 * Resolves when the database can be reached and has the schema of the files: a service that starts before its database
 * waits for it instead of dying. Rejects with MigrationError when it is reached and lacks the schema, and with the last
 * failure when `closing` aborts.
 */
export async function whenMigrated(pool: PostgresPool, options: WhenMigratedOptions): Promise<void> {
  for (;;) {
    try {
      return await assertMigrated(pool, options.directory, options.functions);
    } catch (error) {
      if (!transient(error) || options.closing.aborted) throw error;
      options.logger.warn({ err: error }, 'waiting for the database');
    }
    await rest(RETRY_MS * (0.5 + Math.random()), undefined, { signal: options.closing }).catch(() => undefined);
  }
}
