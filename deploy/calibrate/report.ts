import type { LimitEntry, LimitsFile } from '#libs/mesh/limits-file.js';
import { renderFacts, renderTable } from '#libs/terminal/table.js';
import type { Checked } from './check-limits.js';
import type { Choice } from './choose-limits.js';
import type { Measurement } from './measure.js';
import type { Repeated } from './rounds.js';

const restlessRatio = 1.5;

/** What was measured, what follows from it and why, and what to do with it. */
export function renderCalibration({ spread }: Measurement, file: LimitsFile, choices: Choice[], path: string): string {
  const { measured, predicted, limits } = file;
  return [
    `measured on ${measured.cores} cores (${measured.cpu}), Node ${measured.node}: medians of ${spread.path.runs} runs`,
    renderFacts([
      ['ledger', `${rate(spread.ledger)} claims of one sku admitted a second`],
      ['consumer', `${rate(spread.consumer)} claims a second off the stream, decided`],
      ['path', `${rate(spread.path)} reservations a second answered by the whole mesh, 256 in flight`],
    ]),
    ...restless(Object.values(spread)),
    '',
    'what services are set to',
    renderTable(
      [{ title: 'service' }, { title: 'setting' }, { title: 'value', side: 'right' }, { title: 'because' }],
      choices.map(({ service, variable, value, because }) => [service, variable, count(value), because]),
    ),
    '',
    'what skus are limited to, each by its own units and crowd',
    salesTable(limits),
    '',
    `predicted: at ${count(predicted.per_second)} reservations a second 99 of 100 are answered within ${predicted.p99_ms} ms`,
    '           (those that fit into MAX_IN_FLIGHT take their time at the rate of the path, after SHED_AFTER_MS at most)',
    '',
    `written to ${path}`,
    renderFacts([
      ['npm start', 'sets services up by it, when it is .holdfast/limits.json; else with --limits FILE'],
      ['npx --no-install holdfast limits apply FILE', 'sets the limits of skus'],
      ['npm run calibrate -- --check FILE', 'holds a mesh against what is predicted'],
    ]),
  ].join('\n');
}

/** How a mesh with the limits did. */
export function renderCheck(checked: Checked): string {
  const { per_second, sent, outcomes, p50_ms, p99_ms, predicted_p99_ms, holds, remarks } = checked;
  return [
    renderFacts([
      ['sent', `${count(sent)} reservations, ${count(per_second)} a second, whatever became of those before`],
      [
        'became',
        Object.entries(outcomes)
          .map(([outcome, times]) => `${outcome.replace('status', 'gRPC status')} ${count(times)}`)
          .join(', '),
      ],
      ['answered', `half within ${p50_ms} ms, 99 of 100 within ${p99_ms} ms; predicted ${predicted_p99_ms} ms`],
    ]),
    ...remarks.map((remark) => `  - ${remark}`),
    holds ? 'it holds' : 'it does NOT hold: measure again with npm run calibrate, on a machine that does nothing else',
  ].join('\n');
}

/** Runs of the same work that took so differently long tell of somebody else on the machine. */
function restless(all: Repeated[]): string[] {
  if (all.every(({ lowest, highest }) => highest <= restlessRatio * lowest)) return [];
  return [
    '  runs of the same work were far apart: something else uses this machine. Measure again when it is at rest.',
  ];
}

function salesTable(limits: LimitEntry[]): string {
  const right = (title: string) => ({ title, side: 'right' as const });
  const columns = [
    { title: 'store' },
    { title: 'sku' },
    right('units'),
    right('crowd'),
    right('within'),
    right('a second'),
    right('burst'),
    right('sold out after'),
  ];
  return renderTable(columns, limits.map(saleRow));
}

function saleRow({ store_id, sku_id = '', per_second, burst, sale, sold_out_after_ms = 0 }: LimitEntry): string[] {
  const { units = 0, crowd = 0, over_seconds = 0 } = sale ?? {};
  const end = crowd < units ? 'never' : `${(sold_out_after_ms / 1_000).toFixed(1)} s`;
  return [store_id, sku_id, count(units), count(crowd), `${over_seconds} s`, count(per_second), count(burst), end];
}

function rate({ perSecond, lowest, highest }: Repeated): string {
  return `${count(perSecond)} (${count(lowest)} to ${count(highest)})`;
}

function count(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}
