import { ledgerSchema } from '#libs/ledger/ledger.js';
import { migrate } from '#libs/postgres/migrate.js';

/** Brings the ledger of that database to the schema of this tree; says what was applied. */
export async function migrateLedger(url: string, report: (line: string) => void): Promise<void> {
  const { applied } = await migrate({ url, ...ledgerSchema });
  if (applied.length > 0) report(`migrated the ledger (${applied.length} files)`);
}
