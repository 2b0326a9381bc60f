import type { Verdict } from '../rush/verdict.js';
import type { Drill } from './drill.js';
import { type DrillRow, rowOf } from './row.js';
import type { DrillResult } from './run-drill.js';

const drill: Drill = {
  name: 'plug-pulled',
  about: 'the plug is pulled',
  recovery: 'the plug is put back',
  fault: () => {},
  heal: () => {},
  twin: { without: 'the other plug' },
};

/** A verdict on 90 people with nothing to complain of. */
export function verdictOf(counts: Partial<Verdict['counts']> = {}, failures: string[] = []): Verdict {
  return {
    counts: {
      ...{ requests: 90, held: 60, refused: 30, pending: 0, errors: 0, orders: 60, duplicates: 0, oversold: 0 },
      ...{ lost: 0, undecided: 0, false_refusals: 0, conserved: true, success_rate: 1, ...counts },
    },
    line: {
      ...{ queued: 0, queued_answers: 0, people_ahead_max: 0, queued_at_end: 0, limited_answers: 0, line_p50_ms: 0 },
      ...{ line_p99_ms: 0, line_max_ms: 0, overtaken_max: 0, cold_held_up: 0 },
    },
    failures,
  };
}

/** A row of a drill that passed, but for what is said otherwise. */
export function exampleRow(changes: Partial<DrillRow> = {}): DrillRow {
  const row = rowOf({
    ...{ drill: drill.name, control: false, verdict: verdictOf(), longestPoolWaitMs: 10, p99AfterActMs: null },
    ...{ died: [], durationMs: 12_340, failures: [], drained: { journal: 100, stream: 300, outbox: 200 } },
    gateBackMs: 50,
    crowd: {
      ...{ first_held_after_fault_ms: 400, first_held_after_heal_ms: 20, longest_held_gap_ms: 420, gap_before_ms: 30 },
      ...{ p99_before_ms: 20, p99_fault_ms: 60, p99_after_ms: 25, sent_again: 0 },
    },
  });
  return { ...row, ...changes };
}

/** A drill that passed, with its fault at 2026-01-02T03:04:05Z, but for what is said otherwise. */
export function exampleResult(changes: Partial<DrillResult> = {}): DrillResult {
  const faultAt = Date.UTC(2026, 0, 2, 3, 4, 5);
  return {
    drill,
    row: exampleRow(),
    times: { saleAt: faultAt - 2_500, faultAt, healedAt: faultAt + 4_000, endedAt: faultAt + 8_000 },
    attainments: [{ name: 'first_held_after_fault_ms', limit: 1_000, measured: 400, met: true }],
    drained: { journal: 100, stream: 300, outbox: 200 },
    poolWaits: [['order-1', 10]],
    story: [],
    sights: [],
    ...changes,
  };
}
