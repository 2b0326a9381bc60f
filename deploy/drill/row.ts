import type { Verdict } from '../rush/verdict.js';
import type { Drained } from './backlog.js';
import type { CrowdMeasures } from './measures.js';

/** What a drill came to: the line that `--json` prints, in its order. Milliseconds; null: it never came. */
export interface DrillRow extends CrowdMeasures {
  drill: string;
  /** Whether the run was that of the unsafe twin. */
  control: boolean;
  failed: boolean;
  /** False: it could not be run to its end, and proves nothing. */
  completed: boolean;
  held: number;
  refused: number;
  /** Requests that ended without an answer: an error, a promise that nobody decided, a place in line. */
  errors: number;
  backlog_zero_after_heal_ms: number | null;
  /** Until every inventory used its gate. */
  gate_back_after_heal_ms: number | null;
  longest_pool_wait_ms: number;
  /** Only of a drill in which an operator acts: of HELD answers, from the moment the request was let through. */
  p99_after_act_ms: number | null;
  oversold: number;
  lost: number;
  duplicates: number;
  undecided: number;
  false_refusals: number;
  conserved: boolean;
  /** Processes that died though nobody ended them. */
  died: number;
  duration_s: number;
  /** A sentence for each law that was broken and each objective that was missed. */
  failures: string[];
}

/** The last line of `--json`. */
export interface DrillTotals {
  drills: number;
  failed: number;
  oversold: number;
  lost: number;
  duplicates: number;
  false_refusals: number;
  conserved: boolean;
}

export interface RowInput {
  drill: string;
  control: boolean;
  crowd: CrowdMeasures;
  verdict: Verdict;
  drained: Drained;
  gateBackMs: number | null;
  longestPoolWaitMs: number;
  p99AfterActMs: number | null;
  died: readonly string[];
  durationMs: number;
  /** Besides those of the verdict. */
  failures: readonly string[];
}

/** The row before it is held against its objectives. Pure. */
export function rowOf(input: RowInput): DrillRow {
  const { counts, line, failures } = input.verdict;
  const all = [...failures, ...input.failures, ...input.died.map((name) => `${name} died, and nobody ended it`)];
  return {
    drill: input.drill,
    control: input.control,
    failed: all.length > 0,
    completed: true,
    ...input.crowd,
    held: counts.held,
    refused: counts.refused,
    errors: counts.errors + counts.pending + line.queued_at_end,
    backlog_zero_after_heal_ms: last(input.drained),
    gate_back_after_heal_ms: input.gateBackMs,
    longest_pool_wait_ms: Math.round(input.longestPoolWaitMs),
    p99_after_act_ms: input.p99AfterActMs,
    oversold: counts.oversold,
    lost: counts.lost,
    duplicates: counts.duplicates,
    undecided: counts.undecided,
    false_refusals: counts.false_refusals,
    conserved: counts.conserved,
    died: input.died.length,
    duration_s: Math.round(input.durationMs / 100) / 10,
    failures: all,
  };
}

/** The same with further sentences, each of which makes it fail. */
export function withFailures(row: DrillRow, more: readonly string[]): DrillRow {
  const failures = [...row.failures, ...more];
  return { ...row, failed: failures.length > 0, failures };
}

/** Of a drill that could not be run to its end: it failed, and nothing of it is known to be right. */
export function brokenRow(drill: string, control: boolean, error: unknown, durationMs: number): DrillRow {
  const why = error instanceof Error ? error.message : String(error);
  return {
    ...{ drill, control, failed: true, completed: false },
    ...{
      first_held_after_fault_ms: null,
      first_held_after_heal_ms: null,
      longest_held_gap_ms: null,
      gap_before_ms: null,
    },
    ...{ p99_before_ms: 0, p99_fault_ms: 0, p99_after_ms: 0, sent_again: 0, held: 0, refused: 0, errors: 0 },
    ...{ backlog_zero_after_heal_ms: null, gate_back_after_heal_ms: null },
    ...{ longest_pool_wait_ms: 0, p99_after_act_ms: null },
    ...{ oversold: 0, lost: 0, duplicates: 0, undecided: 0, false_refusals: 0, conserved: false, died: 0 },
    duration_s: Math.round(durationMs / 100) / 10,
    failures: [`it could not be run: ${why}`],
  };
}

export function totalsOf(rows: readonly DrillRow[]): DrillTotals {
  const sum = (amount: (row: DrillRow) => number): number => rows.reduce((total, row) => total + amount(row), 0);
  return {
    drills: rows.length,
    failed: sum((row) => Number(row.failed)),
    oversold: sum((row) => row.oversold),
    lost: sum((row) => row.lost),
    duplicates: sum((row) => row.duplicates),
    false_refusals: sum((row) => row.false_refusals),
    conserved: rows.every((row) => row.conserved),
  };
}

/**
 * 0: every drill passed. 1: one failed. Of unsafe twins every one has to fail, which is 1 as well; 3: one of them passed,
 * or could not be run, so that its drill proves nothing.
 */
export function exitCodeOf(rows: readonly DrillRow[], control: boolean): 0 | 1 | 3 {
  if (control && !rows.every((row) => row.failed && row.completed)) return 3;
  return rows.some((row) => row.failed) ? 1 : 0;
}

function last(drained: Drained): number | null {
  const parts = Object.values(drained);
  return parts.some((part) => part === null) ? null : Math.max(...parts.map(Number));
}
