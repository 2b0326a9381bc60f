import { type PoolConfig, types } from 'pg';
import type { PoolOptions } from './pool.js';

/** How the driver's own pool is set up: every wait of it bounded, rights lowered, bigint as a number. */
export function driverOptions(options: PoolOptions): PoolConfig {
  return {
    connectionString: options.role ? withRole(options.url, options.role) : options.url,
    max: options.max,
    application_name: options.applicationName,
    connectionTimeoutMillis: options.connectTimeoutMs,
    statement_timeout: options.statementTimeoutMs,
    lock_timeout: options.lockTimeoutMs,
    idle_in_transaction_session_timeout: options.statementTimeoutMs,
    keepAlive: true,
    types: { getTypeParser },
  };
}

function withRole(url: string, role: string): string {
  if (!/^[a-z_][a-z0-9_]*$/.test(role)) throw new TypeError(`not a plain role name: ${role}`);
  const withOptions = new URL(url);
  const given = withOptions.searchParams.get('options');
  withOptions.searchParams.set('options', given ? `${given} -c role=${role}` : `-c role=${role}`);
  return withOptions.href;
}

/** The driver's parsers, but bigint as a number: local to this pool, other users of the driver are not touched. */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  if (oid === types.builtins.INT8) return toSafeInteger;
  if (oid === BIGINT_ARRAY_OID) return toSafeIntegers;
  return types.getTypeParser(oid, format);
}

const BIGINT_ARRAY_OID: number = 1016;
const parseBigintArray = types.getTypeParser(BIGINT_ARRAY_OID) as (text: string) => (string | null)[];

function toSafeIntegers(text: string): (number | null)[] {
  return parseBigintArray(text).map((entry) => (entry === null ? null : toSafeInteger(entry)));
}

function toSafeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`bigint ${text} is beyond what a number holds exactly`);
  return value;
}
