import { type DrillArguments, readArguments } from './arguments.js';
import { runClinicDay } from './clinic/clinic-day.js';
import type { Drill } from './drill.js';
import { drillHelp, drillList } from './help.js';
import { readObjectives } from './objectives.js';
import { writeRecord } from './record.js';
import { brokenRow, type DrillRow, exitCodeOf, totalsOf } from './row.js';
import { renderRow, renderTotals } from './row-table.js';
import { runDrill } from './run-drill.js';

process.exitCode = await main();

async function main(): Promise<number> {
  let given: DrillArguments;
  try {
    given = readArguments(process.argv.slice(2));
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return 2;
  }
  if (given.command === 'clinic-day') return await runClinicDay(given);
  if (given.command !== 'run') {
    process.stdout.write(given.command === 'list' ? drillList() : drillHelp());
    return 0;
  }
  const rows: DrillRow[] = [];
  for (const [index, drill] of given.drills.entries()) {
    process.stderr.write(`${drill.name}, ${index + 1} of ${given.drills.length}\n`);
    const { row, record } = await oneDrill(drill, given);
    rows.push(row);
    process.stdout.write(`${given.json ? JSON.stringify(row) : renderRow(row, record)}\n`);
    if (given.json) for (const failure of row.failures) process.stderr.write(`  - ${failure}\n`);
  }
  const totals = totalsOf(rows);
  process.stdout.write(`${given.json ? JSON.stringify(totals) : renderTotals(totals)}\n`);
  return exitCodeOf(rows, given.control);
}

type Run = Extract<DrillArguments, { command: 'run' }>;

/** A drill that cannot be run is one that failed, and no reason not to run the others. */
async function oneDrill(drill: Drill, { control, seed }: Run): Promise<{ row: DrillRow; record?: string }> {
  const beganAt = Date.now();
  const report = (line: string): void => {
    process.stderr.write(`  ${((Date.now() - beganAt) / 1_000).toFixed(1).padStart(5)} s  ${line}\n`);
  };
  try {
    const plan = seed === undefined ? {} : { seed };
    const result = await runDrill(drill, { control, plan, objectives: readObjectives(drill.name), report });
    const record = writeRecord(result);
    report(`record: ${record}`);
    return { row: result.row, record };
  } catch (error) {
    return { row: brokenRow(drill.name, control, error, Date.now() - beganAt) };
  }
}
