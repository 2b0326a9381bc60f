import { type Sample, total } from './readings.js';

/**
 * Statements and scripts that services run by the clock, crowd or no crowd: they belong to no request and are not
 * counted. Names are the labels of the metrics, which are those of the files.
 */
export const POLLS: readonly string[] = [
  ...['clock_read', 'limits_read', 'job_claim', 'job_finish', 'jobs_read', 'orders_expire', 'outbox_take'],
  // Whoever is answered is recorded in batches, by the second.
  ...['access_record', 'access_prune'],
  ...['skus_opening', 'claims_list', 'gates_close', 'gateways_count', 'health_check', 'promises_list'],
];

/** Round trips of services to Redis. */
export function redisCalls(samples: Sample[]): number {
  return total(samples, 'holdfast_redis_calls_total', ({ script = '' }) => !POLLS.includes(script));
}

/** Transactions of services in Postgres, a statement of its own counting as one. */
export function postgresTransactions(samples: Sample[]): number {
  return total(samples, 'holdfast_postgres_transactions_total', ({ statement = '' }) => !POLLS.includes(statement));
}
