import { migrate } from '#libs/postgres/migrate.js';
import { createLogger } from '#libs/runtime/logger.js';

const LEDGER = new URL('../../libs/ledger/', import.meta.url);

/** Brings the ledger of that database to the schema of this tree; says what was applied. */
export async function migrateLedger(url: string, report: (line: string) => void): Promise<void> {
  const { applied } = await migrate({
    url,
    directory: new URL('migrations/', LEDGER),
    functions: new URL('functions/', LEDGER),
    logger: createLogger('migrate', 'warn'),
  });
  if (applied.length > 0) report(`migrated the ledger (${applied.length} files)`);
}
