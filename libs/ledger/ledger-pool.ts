import type { PostgresPool } from '#libs/postgres/pool.js';
import type { Statement } from '#libs/postgres/statement.js';

/** What the ledger needs of a pool. */
export type LedgerPool = Pick<PostgresPool, 'query'>;

/** The statement that calls a function of the schema; both have the same name. */
export function functionCall(name: string, parameters: number): Statement {
  const places = Array.from({ length: parameters }, (_, index) => `$${index + 1}`);
  return { name, text: `SELECT * FROM ledger.${name}(${places.join(', ')})` };
}
