import { type Sample, total } from './readings.js';

/**
 * Statements and scripts that services run by the clock, crowd or no crowd: they belong to no request and are not
 * counted. Names are the labels of the metrics, which are those of the files.
 */
export const POLLS: readonly string[] = [
  ...['clock_read', 'limits_read', 'switches_read', 'parked_read', 'jobs_read', 'jobs_claim', 'jobs_finish'],
  ...['orders_expire', 'cancelled_sales_end', 'payments_parked_apply', 'waitlist_promote', 'waitlist_end'],
  ...['outbox_take', 'alerts_untold', 'alerts_check', 'alerts_count', 'webhook_deliveries_add', 'webhook_claim'],
  // Whoever is answered is recorded in batches, by the second.
  ...['access_record', 'access_prune'],
  ...['skus_opening', 'claims_list', 'gates_close', 'gateways_count', 'gateways_list', 'health_check', 'promises_list'],
];

/** Calls of services to each other that are made by the clock likewise. */
export const POLLED_METHODS: readonly string[] = [
  ...['Sweep', 'Sync', 'BatchGetLimits', 'EndPaymentSessions', 'EndWaitlists', 'PromoteWaiters'],
  ...['ApplyParkedPayments', 'ExpireDue', 'EndCancelledSales', 'CheckAlerts', 'RecordAccess', 'PruneAccess'],
];

/** Round trips of services to Redis. */
export function redisCalls(samples: Sample[]): number {
  return total(samples, 'holdfast_redis_calls_total', ({ script = '' }) => !POLLS.includes(script));
}

/** Transactions of services in Postgres, a statement of its own counting as one. */
export function postgresTransactions(samples: Sample[]): number {
  return total(samples, 'holdfast_postgres_transactions_total', ({ statement = '' }) => !POLLS.includes(statement));
}

/** Whose calls come from outside. */
const publicFace = 'holdfast.reservation.v1.ReservationService';

/** Requests of services to each other: unary calls, and batches on streams, each counted where it was sent. */
export function rpcRequests(samples: Sample[]): number {
  const isOwn = ({ service = '', method = '' }: Record<string, string>): boolean =>
    service !== publicFace && !POLLED_METHODS.includes(method);
  const batches = total(samples, 'holdfast_batch_messages_total', ({ stream = '' }) => stream.endsWith(' sent'));
  return batches + total(samples, 'holdfast_rpc_requests_total', isOwn);
}
