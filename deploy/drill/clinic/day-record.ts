import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RECORDS } from '../record.js';
import { DayClock } from './day-clock.js';
import type { DayRow } from './day-row.js';
import { type DayResult, WITHOUT } from './run-day.js';

const MOST_LINES = 60;

/** Writes the record of a day that was run once for each hold time; gives its path. */
export function writeDayRecord(results: readonly DayResult[], directory = RECORDS): string {
  const [first] = results;
  if (!first) throw new Error('no day was run to its end');
  mkdirSync(directory, { recursive: true });
  const moment = new Date(first.startsAt).toISOString().replace(/[-:]|\.\d+/g, '');
  const path = join(directory, `clinic-day${first.row.control ? '-control' : ''}-${moment}.md`);
  writeFileSync(path, renderDayRecord(results));
  return path;
}

/** The record as Markdown. Pure. */
export function renderDayRecord(results: readonly DayResult[]): string {
  const rows = results.map(({ row }) => row);
  const [first] = results;
  const failures = results.flatMap(({ row }) => row.failures.map((one) => `${row.hold_minutes} minutes: ${one}`));
  return [
    '# clinic-day: a day at a clinic, from the rush at eight to the last appointment',
    ...(first?.row.control ? [`An unsafe twin, which has to fail. Taken away: ${WITHOUT}.`] : []),
    `**${failures.length > 0 ? 'FAILED' : 'passed'}.** ${first ? crowd(first) : ''}`,
    ...(failures.length > 0 ? [list(failures)] : []),
    `## How long a hold should last\n\n${holdTable(rows)}`,
    `## Laws\n\n${laws(rows)}`,
    ...results.map((result) => `## The day with holds of ${result.row.hold_minutes} minutes\n\n${theDay(result)}`),
  ]
    .join('\n\n')
    .concat('\n');
}

function crowd({ row, plan }: DayResult): string {
  const late = row.people - row.held_at_once;
  return `${row.people} people want one of ${plan.slots} slots, and ${late} come too late; a minute takes ${plan.minuteMs} ms. The same people do the same with each hold time (seed ${plan.seed}).`;
}

const COLUMNS: [title: string, value: (row: DayRow) => string][] = [
  ['hold, minutes', (row) => `${row.hold_minutes}`],
  ['holds', (row) => `${row.holds}`],
  ['paid in time', (row) => percent(row.share_paid)],
  ['expired', (row) => percent(row.share_expired)],
  ['unit-minutes held in vain', (row) => `${row.unit_minutes_in_vain}`],
  ['offers', (row) => `${row.offers}`],
  ['served from the waitlist', (row) => `${row.served_from_waitlist}`],
  ['waited for an offer, median', (row) => minutes(row.waited_p50_minutes)],
  ['nine of ten at most', (row) => minutes(row.waited_p90_minutes)],
];

/** A line for each hold time. */
export function holdTable(rows: readonly DayRow[]): string {
  return table(
    COLUMNS.map(([title]) => title),
    rows.map((row) => COLUMNS.map(([, value]) => value(row))),
  );
}

function laws(rows: readonly DayRow[]): string {
  const names = ['oversold', 'lost', 'duplicates', 'undecided', 'false_refusals', 'overtaken'] as const;
  return table(
    ['hold, minutes', ...names, 'unaccounted_payments', 'conserved'],
    rows.map((row) => [
      ...[row.hold_minutes, ...names.map((name) => row[name]), row.unaccounted_payments].map(String),
      row.conserved ? 'yes' : 'NO',
    ]),
  );
}

function theDay({ row, plan, incidents, startsAt, story }: DayResult): string {
  const clock = new DayClock(startsAt, plan.minuteMs);
  const warned = story
    .filter(({ level }) => level !== 'info')
    .slice(0, MOST_LINES)
    .map(({ firstAt, times, processes, text }) => {
      const words = `${processes.join(', ')}: ${text}${times > 1 ? `, ${times} times` : ''}`;
      return { minute: (firstAt - startsAt) / plan.minuteMs, words };
    });
  const events = [...incidents.map(({ at, what }) => ({ minute: at, words: `**${what}**` })), ...warned]
    .sort((a, b) => a.minute - b.minute)
    .map(({ minute, words }) => [clock.text(minute), words.replaceAll('|', '\\|').replaceAll('\n', ' ')]);
  return [
    list([
      `At first ${row.held_at_once} were told yes, ${row.waitlisted} got a place in a waitlist, ${row.refused} were told no, ${row.errors} nothing.`,
      `Payments: ${counts(row.payments)}.`,
      `Changes: ${counts(row.changes)}.`,
    ]),
    table(['time', 'what happened'], events),
  ].join('\n\n');
}

function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(titles), line(titles.map(() => '---')), ...rows.map(line)].join('\n');
}

function counts(tally: Record<string, number>): string {
  const words = Object.entries(tally).map(([name, count]) => `${name} ${count}`);
  return words.length === 0 ? 'none' : words.join(', ');
}

function list(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join('\n');
}

function percent(share: number | null): string {
  return share === null ? '-' : `${(share * 100).toFixed(1)} %`;
}

function minutes(value: number | null): string {
  return value === null ? '-' : `${value} min`;
}
