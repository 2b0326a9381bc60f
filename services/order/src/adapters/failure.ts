import { sqlState, transient } from '#libs/postgres/errors.js';
import { Fault } from '#libs/refusal/fault.js';
import type { Failure } from '../app/admit-claims.js';

const lockNotAvailable = '55P03';
/** Data exceptions, broken constraints, and what a function of the ledger raises by itself. */
const dataClasses: ReadonlySet<string> = new Set(['22', '23', 'P0']);

/** What a failed call of the ledger says about the claims in it. */
export function failureOf(error: unknown): Failure {
  const state = sqlState(error);
  if (state === lockNotAvailable) return 'LOCK';
  if (error instanceof Fault && error.reason === 'INVALID_REQUEST') return 'DATA';
  if (transient(error)) return 'INFRASTRUCTURE';
  return dataClasses.has(state?.slice(0, 2) ?? '') ? 'DATA' : 'UNKNOWN';
}
