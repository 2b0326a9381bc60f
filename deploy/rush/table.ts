import { renderFacts } from '#libs/terminal/table.js';
import type { Outcome } from './outcome.js';
import type { RushReport } from './rush-report.js';
import type { Verdict } from './verdict.js';

/** The run for a reader: what was on offer, what people were told, what the ledger holds, and the verdict. */
export function renderRun(report: RushReport, verdict: Verdict, outcomes: Outcome[]): string {
  const sends = outcomes.reduce((sum, outcome) => sum + outcome.sends, 0);
  const setbacks = outcomes.flatMap((outcome) => outcome.setbacks);
  const rows: [string, string][] = [
    ['units on offer', count(report.capacity)],
    ['people', `${count(report.users)}, ${count(report.requests)} requests, sent ${count(sends)} times`],
    ['held', `${count(report.held)} requests were told yes`],
    ['refused', `${count(report.refused)}${reasons(outcomes)}`],
    ['pending, errors', `${count(report.pending)}, ${count(report.errors)}${errorTexts(outcomes)}`],
    ['sent again', `${count(setbacks.length)} times${tally(setbacks)}`],
    ['in line', lineText(report)],
    ['waited in line', waitText(report)],
    ['overtaken', `nobody by more than ${count(report.overtaken_max)} people`],
    [
      'limited',
      `${count(report.limited_answers)} answers 429${tally(outcomes.flatMap(({ passage }) => passage.limits))}`,
    ],
    ['orders in the ledger', count(report.orders)],
    ['oversold, duplicates', `${report.oversold}, ${report.duplicates}`],
    ['lost, undecided', `${report.lost}, ${report.undecided}`],
    ['false refusals', String(report.false_refusals)],
    ['answers', `half within ${report.p50_ms} ms, 99 of 100 within ${report.p99_ms} ms`],
    ['Redis calls', `${report.redis_calls_per_request} a request, p99 ${report.redis_p99_ms} ms`],
    [
      'Postgres',
      `${report.pg_transactions_per_order} transactions an order, p99 of the wait ${report.pool_wait_p99_ms} ms`,
    ],
    ['longest queue', `${count(report.consumer_lag_max)} messages`],
    ['duration', `${report.duration_s} s`],
  ];
  return [`${report.scenario}:`, renderFacts(rows), ...verdictLines(verdict)].join('\n');
}

function verdictLines({ failures }: Verdict): string[] {
  if (failures.length > 0) return ['verdict: WRONG', ...failures.map((failure) => `  - ${failure}`)];
  return ['verdict: right. No unit was sold twice, no yes was lost, no no was false, and every unit is accounted for.'];
}

function lineText(report: RushReport): string {
  if (report.queued === 0) return 'nobody';
  const { queued, queued_answers: times, people_ahead_max: ahead } = report;
  return `${count(queued)} requests, told so ${count(times)} times, with at most ${count(ahead)} people ahead`;
}

function waitText({ queued, line_p50_ms: half, line_p99_ms: most, line_max_ms: longest }: RushReport): string {
  return queued === 0 ? 'nobody' : `half ${half} ms, 99 of 100 at most ${most} ms, the last ${longest} ms`;
}

function reasons(outcomes: Outcome[]): string {
  return tally(outcomes.flatMap(({ answer, refusal }) => (answer === 'REFUSED' && refusal ? [refusal.reason] : [])));
}

function errorTexts(outcomes: Outcome[]): string {
  return tally(outcomes.flatMap(({ error }) => (error === undefined ? [] : [error])));
}

/** ` (ALL_HELD 854, LIMIT_REACHED 3)`: the five most frequent. */
function tally(words: string[]): string {
  if (words.length === 0) return '';
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  const most = [...counts].sort(([, a], [, b]) => b - a).slice(0, 5);
  return ` (${most.map(([word, times]) => `${word} ${count(times)}`).join(', ')})`;
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}
