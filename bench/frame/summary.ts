import { renderTable } from '#libs/terminal/table.js';
import { describeFigure, describeGate, describeGoal, type Judged } from './bounds.js';
import { describeMachine, type Line, type Report, type RunFacts } from './report.js';

const titles = ['id', 'figure', 'is', 'gate', 'goal'];
const byId = new Intl.Collator('en', { numeric: true });

/** What all benchmarks of a run came to, as one line. */
export function summaryLine(lines: readonly Line[], facts: RunFacts, tookS: number) {
  const failing = lines.filter((line) => !line.gates_met).map(({ id }) => id);
  return {
    ...{ id: 'all', at: new Date().toISOString(), ...facts, took_s: Math.round(tookS) },
    ...{ benchmarks: lines.length, failing },
    gates_met: failing.length === 0,
    invariants_ok: lines.every((line) => line.invariants_ok),
  };
}

/** A row for each figure that has a goal, for people. */
export function describeSummary(reports: readonly Report[]): string {
  return renderTable(
    titles.map((title) => ({ title, side: 'left' as const })),
    rowsOf(reports),
  );
}

/** The same as a page in Markdown, with what it was measured by and on. */
export function summaryPage(reports: readonly Report[], { commit, quick, machine }: RunFacts, command: string): string {
  const cells = [titles, ...rowsOf(reports)].map((row) => row.map((cell) => cell.replaceAll('|', '\\|')));
  const widths = titles.map((_, at) => Math.max(...cells.map((row) => row[at]?.length ?? 0)));
  const rows = cells.map((row) => `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`);
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  const notes = reports.flatMap(({ id, notes: own }) => own.map((note) => `- ${id}: ${note}.`));
  return [
    `\`${command}\` at ${commit}, on ${describeMachine(machine)}.${quick ? ' Few items: it shows that it works.' : ''}`,
    '',
    ...rows.toSpliced(1, 0, rule),
    ...(notes.length > 0 ? ['', ...notes] : []),
    '',
  ].join('\n');
}

function rowsOf(reports: readonly Report[]): string[][] {
  const sorted = [...reports].sort((one, other) => byId.compare(one.id, other.id));
  return sorted.flatMap(({ id, judged, broken }) => {
    if (broken.length > 0) return [[id, 'VOID', broken[0] ?? '', '', '']];
    return judged.map((one: Judged) => [id, one.words, describeFigure(one), describeGate(one), describeGoal(one)]);
  });
}
