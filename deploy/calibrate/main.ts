import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readLimitsFile, writeLimitsFile } from '#libs/mesh/limits-file.js';
import { checkLimits } from './check-limits.js';
import { chooseLimits } from './choose-limits.js';
import { efforts } from './effort.js';
import { measure } from './measure.js';
import { CALIBRATE_HELP, type CalibrateOptions, readOptions } from './options.js';
import { renderCalibration, renderCheck } from './report.js';
import { type ExpectedSale, readSalesFile, sampleSales } from './sales.js';

const operator = fileURLToPath(new URL('../../services/operator/src/main.js', import.meta.url));

process.exitCode = await main();

async function main(): Promise<number> {
  let options: CalibrateOptions | undefined;
  let sales: ExpectedSale[];
  try {
    options = readOptions(process.argv.slice(2));
    if (options === undefined) {
      process.stdout.write(CALIBRATE_HELP);
      return 0;
    }
    sales = options.sales === undefined ? sampleSales(new Date()) : readSalesFile(options.sales);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\nsee npm run calibrate -- --help\n`);
    return 2;
  }
  try {
    return options.check === undefined ? await calibrate(options, sales) : await check(options.check, options.json);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    return 1;
  }
}

async function calibrate({ out, quick, apply, json }: CalibrateOptions, sales: ExpectedSale[]): Promise<number> {
  const measurement = await measure(quick ? efforts.quick : efforts.full, report);
  hideProgress();
  const { file, choices } = chooseLimits(measurement.measured, sales);
  mkdirSync(dirname(out), { recursive: true });
  writeLimitsFile(out, file);
  const text = json ? JSON.stringify({ file: out, ...file }) : renderCalibration(measurement, file, choices, out);
  process.stdout.write(`${text}\n`);
  return apply ? applyThrough(out) : 0;
}

/** The operators' command does it, and says how it went. */
function applyThrough(file: string): number {
  const { status } = spawnSync(process.execPath, [operator, 'limits', 'apply', file], { stdio: ['ignore', 2, 2] });
  return status ?? 1;
}

async function check(path: string, json: boolean): Promise<number> {
  const limits = readLimitsFile(path);
  if (limits === undefined) throw new Error(`--check: there is no file ${path}; npm run calibrate makes one`);
  const checked = await checkLimits(limits, report);
  hideProgress();
  process.stdout.write(`${json ? JSON.stringify(checked) : renderCheck(checked)}\n`);
  return checked.holds ? 0 : 1;
}

/** One line of a terminal, written over by the next; one after the other where they are kept. */
function report(line: string): void {
  const time = `${(performance.now() / 1_000).toFixed(1).padStart(5)} s`;
  process.stderr.write(process.stderr.isTTY ? `\r\u001b[2K${time}  ${line}` : `${time}  ${line}\n`);
}

function hideProgress(): void {
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[2K');
}
