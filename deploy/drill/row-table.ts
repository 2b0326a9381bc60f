import { renderFacts } from '#libs/terminal/table.js';
import type { DrillRow, DrillTotals } from './row.js';

/** A drill for a reader. */
export function renderRow(row: DrillRow, record: string | undefined): string {
  const ms = (value: number | null): string => (value === null ? 'never' : `${value} ms`);
  const facts: [string, string][] = [
    ['held, refused, no answer', `${row.held}, ${row.refused}, ${row.errors}`],
    [
      'first HELD',
      `${ms(row.first_held_after_fault_ms)} after the fault, ${ms(row.first_held_after_heal_ms)} after healing`,
    ],
    ['longest without HELD', `${ms(row.longest_held_gap_ms)}, before the fault ${ms(row.gap_before_ms)}`],
    [
      'a yes takes (p99)',
      `${row.p99_before_ms} ms before, ${row.p99_fault_ms} under the fault, ${row.p99_after_ms} after`,
    ],
    ['told to come again', `${row.sent_again} times`],
    ['backlog', `gone ${ms(row.backlog_zero_after_heal_ms)} after healing`],
    ['gate', `in use ${ms(row.gate_back_after_heal_ms)} after healing`],
    ['pool wait', `at most ${row.longest_pool_wait_ms} ms`],
    ['oversold, lost, duplicates', `${row.oversold}, ${row.lost}, ${row.duplicates}`],
    ['false refusals, undecided', `${row.false_refusals}, ${row.undecided}`],
    ...(record === undefined ? [] : ([['record', record]] as [string, string][])),
  ];
  const title = `${row.failed ? '✘' : '✔'} ${row.drill}${row.control ? ', unsafe' : ''} (${row.duration_s} s)`;
  return [title, renderFacts(facts), ...row.failures.map((failure) => `  - ${failure}`)].join('\n');
}

/** All of them in a sentence. */
export function renderTotals({ drills, failed, oversold, lost, duplicates, false_refusals }: DrillTotals): string {
  return `${drills} drills, ${failed} failed; oversold ${oversold}, lost ${lost}, duplicates ${duplicates}, false refusals ${false_refusals}`;
}
