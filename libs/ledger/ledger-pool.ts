import type { PostgresPool } from '#libs/postgres/pool.js';
import type { Statement } from '#libs/postgres/statement.js';

/** What the ledger needs of a pool. */
export type LedgerPool = Pick<PostgresPool, 'query'>;

const arities = new Map<string, number>();

/**
 * The statement that calls a function of the schema; both have the same name. Throws when the name stands for a call with
 * another number of parameters: a connection prepares a name once.
 */
export function functionCall(name: string, parameters: number): Statement {
  if ((arities.get(name) ?? parameters) !== parameters) throw new Error(`${name} is called in two ways`);
  arities.set(name, parameters);
  const places = Array.from({ length: parameters }, (_, index) => `$${index + 1}`);
  return { name, text: `SELECT * FROM ledger.${name}(${places.join(', ')})` };
}
