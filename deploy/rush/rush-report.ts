import type { LineFacts } from './line-facts.js';
import type { Outcome } from './outcome.js';
import { quantileMs, type Sample } from './readings.js';
import type { Scenario } from './scenario.js';
import { postgresTransactions, redisCalls } from './service-calls.js';
import type { Verdict } from './verdict.js';

/** What a run came to: the line that `--json` prints, in its order. */
export interface RushReport extends LineFacts {
  scenario: string;
  capacity: number;
  users: number;
  requests: number;
  held: number;
  refused: number;
  pending: number;
  errors: number;
  orders: number;
  duplicates: number;
  oversold: number;
  lost: number;
  undecided: number;
  false_refusals: number;
  conserved: boolean;
  success_rate: number;
  p50_ms: number;
  p99_ms: number;
  pool_wait_p99_ms: number;
  redis_p99_ms: number;
  consumer_lag_max: number;
  redis_calls_per_request: number;
  pg_transactions_per_order: number;
  duration_s: number;
}

export interface ReportInput {
  scenario: Scenario;
  outcomes: Outcome[];
  verdict: Verdict;
  /** What the services' metrics grew by during the run. */
  samples: Sample[];
  consumerLagMax: number;
  durationMs: number;
}

export function reportOf({
  scenario,
  outcomes,
  verdict,
  samples,
  consumerLagMax,
  durationMs,
}: ReportInput): RushReport {
  const { counts, line } = verdict;
  const latencies = outcomes.flatMap(({ latencyMs }) => (latencyMs > 0 ? [latencyMs] : [])).sort((a, b) => a - b);
  return {
    scenario: scenario.name,
    capacity: scenario.skus.reduce((sum, sku) => sum + sku.capacity, 0),
    users: new Set(scenario.people.map((person) => person.userId)).size,
    ...counts,
    success_rate: rounded(counts.success_rate, 4),
    p50_ms: rounded(quantileOf(latencies, 0.5), 1),
    p99_ms: rounded(quantileOf(latencies, 0.99), 1),
    pool_wait_p99_ms: rounded(quantileMs(samples, 'holdfast_postgres_pool_wait_seconds', 0.99), 2),
    redis_p99_ms: rounded(quantileMs(samples, 'holdfast_redis_call_seconds', 0.99), 2),
    consumer_lag_max: consumerLagMax,
    redis_calls_per_request: rounded(redisCalls(samples) / Math.max(1, counts.requests), 4),
    pg_transactions_per_order: rounded(postgresTransactions(samples) / Math.max(1, counts.orders), 4),
    duration_s: rounded(durationMs / 1000, 3),
    ...line,
  };
}

/** Of sorted values; 0 when there are none. */
function quantileOf(sorted: number[], quantile: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(quantile * sorted.length))] ?? 0;
}

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
