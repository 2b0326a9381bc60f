import { clinicDay, HOLD_MINUTES } from './day-plan.js';
import { holdTable, writeDayRecord } from './day-record.js';
import { type DayRow, dayTotals } from './day-row.js';
import { type DayResult, runDay, WITHOUT } from './run-day.js';

/** What the list of drills says of it. */
export const CLINIC_DAY = {
  name: 'clinic-day',
  about: 'a day at a clinic: 900 people want one of 40 slots, wait, pay, cancel and move; Redis dies at noon',
  twin: { without: WITHOUT },
};

export interface ClinicDayOptions {
  json: boolean;
  control: boolean;
  seed?: number;
}

/** Two of whoever changes anything, so that changes meet in the ledger and not in a process. */
const SCALE = { gateway: 2, inventory: 2, order: 2, scheduler: 2 };
/** With one hold time it is seen as well whether the twin fails. */
const CONTROL_HOLD_MINUTES = [5] as const;

/**
 * Runs the day once for each hold time and prints what came of it. Gives the exit code: 0 passed, 1 failed, as a twin has to,
 * 3 a twin that passed or could not be run.
 */
export async function runClinicDay({ json, control, seed }: ClinicDayOptions): Promise<0 | 1 | 3> {
  const results: DayResult[] = [];
  const broken: string[] = [];
  for (const holdMinutes of control ? CONTROL_HOLD_MINUTES : HOLD_MINUTES) {
    process.stderr.write(`clinic-day, holds of ${holdMinutes} minutes\n`);
    const plan = { ...clinicDay, holdMinutes, ...(seed !== undefined && { seed }) };
    try {
      const result = await runDay({ plan, control, scale: SCALE, report: reporter() });
      results.push(result);
      if (json) process.stdout.write(`${JSON.stringify(result.row)}\n`);
      for (const failure of result.row.failures) process.stderr.write(`  - ${failure}\n`);
    } catch (error) {
      broken.push(
        `holds of ${holdMinutes} minutes could not be run: ${error instanceof Error ? error.message : error}`,
      );
    }
  }
  for (const sentence of broken) process.stderr.write(`  - ${sentence}\n`);
  if (results.length > 0) process.stderr.write(`record: ${writeDayRecord(results)}\n`);
  const rows = results.map(({ row }) => row);
  const totals = { ...dayTotals(rows), ...(broken.length > 0 && { conserved: false }) };
  process.stdout.write(json ? `${JSON.stringify(totals)}\n` : `${holdTable(rows)}\n${JSON.stringify(totals)}\n`);
  return exitCode(rows, { control, isBroken: broken.length > 0 });
}

function exitCode(rows: readonly DayRow[], { control, isBroken }: { control: boolean; isBroken: boolean }): 0 | 1 | 3 {
  const isOvertaken = rows.some((row) => row.overtaken > 0);
  if (control) return isOvertaken && !isBroken ? 1 : 3;
  return isBroken || rows.some(({ failed }) => failed) ? 1 : 0;
}

function reporter(): (line: string) => void {
  const beganAt = Date.now();
  return (line) => {
    process.stderr.write(`  ${((Date.now() - beganAt) / 1_000).toFixed(1).padStart(5)} s  ${line}\n`);
  };
}
