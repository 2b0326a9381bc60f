import { alertKinds, type OpenAlerts } from '#libs/ledger/alerts.js';
import type { Decision } from '#libs/ledger/decision.js';
import type { OutboxEntry } from '#libs/ledger/outbox.js';
import type { Metrics } from '#libs/runtime/metrics.js';
import { maxBatchLines } from '../domain/admission-batch.js';

const lineBuckets = [1, 2, 5, 10, 20, 50, 100, 200, 300, 400, maxBatchLines];
const holdBuckets = [5, 15, 30, 60, 120, 300, 600, 900, 1_200, 1_800, 3_600, 14_400, 86_400];

/** What this service counts. */
export type OrderMetrics = ReturnType<typeof orderMetrics>;

/** `openAlerts` is asked at each scrape, since any process may raise one; while it rejects the last figures stay. */
export function orderMetrics(metrics: Metrics, openAlerts: () => Promise<OpenAlerts>) {
  const admitted = metrics.counter('claims_admitted_total', 'Claims that the ledger decided');
  const decided = metrics.counter('orders_decided_total', 'Decisions by what they were', ['outcome']);
  const batchLines = metrics.histogram('admission_batch_lines', 'Order lines in one admission', [], lineBuckets);
  const deadLetters = metrics.counter('dead_letters_total', 'Messages and claims that nobody could process');
  const givenBack = metrics.counter('claims_given_back_total', 'Messages of claims that come again');
  const outboxLag = metrics.gauge('outbox_lag', 'Events at hand that are not published; 1000 may be more');
  const holdSeconds = metrics.histogram(
    'hold_seconds',
    'How long holds lasted, by how they ended: of changes whose events this process stored since its start',
    ['outcome'],
    holdBuckets,
  );
  const released = metrics.counter(
    'units_released_total',
    'Units that came back, by the reason of the movement: of changes whose events this process stored since its start',
    ['reason'],
  );

  metrics.gauge('alerts_open', 'Alerts that nobody cleared, by kind', ['kind'], async (gauge) => {
    const open = await openAlerts().catch(() => undefined);
    for (const kind of open ? alertKinds : []) gauge.set({ kind }, open?.[kind] ?? 0);
  });

  return {
    batch: (lines: number) => batchLines.observe(lines),
    decisions(all: readonly Decision[]) {
      admitted.inc(all.length);
      for (const decision of all) decided.inc({ outcome: outcomeOf(decision) });
    },
    deadLetter: () => deadLetters.inc(),
    givenBack: () => givenBack.inc(),
    /** Counts changes that are noted as told: each once, over all processes, unless one dies in between. */
    told(entries: readonly OutboxEntry[]) {
      for (const entry of entries) {
        if (entry.kind !== 'ORDER' || !entry.moved) continue;
        const { reason, released: units, heldSeconds } = entry.moved;
        if (units > 0) released.inc({ reason }, units);
        if (heldSeconds !== undefined) {
          holdSeconds.observe({ outcome: entry.state === 'CONFIRMED' ? 'PAID' : entry.state }, heldSeconds);
        }
      }
    },
    outboxLag: (events: number) => outboxLag.set(events),
  };
}

function outcomeOf(decision: Decision): string {
  if (decision.kind === 'ORDER') return decision.order.state;
  if (decision.kind === 'WAITLISTED') return 'WAITLISTED';
  return decision.kind === 'REFUSED' ? decision.refusal.reason : decision.reason;
}
