import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { improvements } from './improvements.js';
import { reasonsToSendAgain } from './measures.js';
import type { DrillResult } from './run-drill.js';

/** Where records are kept; git ignores it. */
export const RECORDS = fileURLToPath(new URL('../../../drills', import.meta.url));

const MOST_REASONS = 10;

/** Writes the post-incident record of a drill; gives its path. */
export function writeRecord(result: DrillResult, directory = RECORDS): string {
  mkdirSync(directory, { recursive: true });
  const moment = new Date(result.times.faultAt).toISOString().replace(/[-:]|\.\d+/g, '');
  const twin = result.row.control ? '-control' : '';
  const path = join(directory, `${result.drill.name}${twin}-${moment}.md`);
  writeFileSync(path, renderRecord(result));
  return path;
}

/** The record as Markdown. Pure. */
export function renderRecord(result: DrillResult): string {
  const { row, drill } = result;
  const verdict = row.failed ? 'FAILED' : 'passed';
  return [
    `# ${drill.name}: ${drill.about}`,
    ...(row.control ? [`An unsafe twin, which has to fail. Taken away: ${drill.twin?.without}.`] : []),
    `**${verdict}.** ${row.held} people were told yes, ${row.refused} no, ${row.errors} nothing.`,
    ...(row.failures.length > 0 ? [list(row.failures)] : []),
    `## Trigger\n\n${trigger(result)}`,
    `## What happened\n\n${story(result)}`,
    `## Recovery\n\n${recovery(result)}`,
    `## Objectives\n\n${objectives(result)}`,
    `## Laws\n\n${laws(result)}`,
    `## What clients were told to send again\n\n${sentAgain(result)}`,
    `## What to improve\n\n${list(improvements(result))}`,
  ]
    .join('\n\n')
    .concat('\n');
}

function trigger({ drill, times }: DrillResult): string {
  const at = new Date(times.faultAt).toISOString();
  return `${at}, ${times.faultAt - times.saleAt} ms into a sale: ${drill.about}.`;
}

/** What was logged, and what the crowd saw, from the fault on. */
function story({ story: lines, sights, times }: DrillResult): string {
  const after = (at: number): string => `${at - times.faultAt >= 0 ? '+' : ''}${at - times.faultAt}`;
  const seen = crowdEvents(sights, times.faultAt).map(({ at, what }) => ({ at, who: 'the crowd', what }));
  const logged = lines.map(({ firstAt, lastAt, times: count, processes, level, text }) => ({
    at: firstAt,
    who: processes.join(', '),
    what: `${level === 'info' ? '' : `${level}: `}${text}${count > 1 ? `, ${count} times until ${after(lastAt)}` : ''}`,
  }));
  const rows = [...seen, ...logged]
    .sort((a, b) => a.at - b.at)
    .map(({ at, who, what }) => `| ${after(at)} | ${who} | ${cell(what)} |`);
  return ['| ms after the fault | who | what |', '| ---: | --- | --- |', ...rows].join('\n');
}

interface CrowdEvent {
  at: number;
  what: string;
}

/** The turns that the fault gave to what people were told. */
export function crowdEvents(sights: DrillResult['sights'], faultAt: number): CrowdEvent[] {
  const held = sights.filter(({ kind }) => kind === 'HELD').sort((a, b) => a.at - b.at);
  const first = held.find(({ sentAt }) => sentAt >= faultAt);
  const again = sights.filter(({ kind, at }) => kind === 'AGAIN' && at >= faultAt).sort((a, b) => a.at - b.at);
  const gap = held
    .map(({ at }, index) => ({ from: at, to: held[index + 1]?.at ?? at }))
    .filter(({ to }) => to >= faultAt)
    .sort((a, b) => b.to - b.from - (a.to - a.from))[0];
  const [firstAgain, lastAgain] = [again[0], again.at(-1)];
  return [
    ...(first ? [{ at: first.at, what: 'a request that was sent after the fault is told HELD' }] : []),
    ...(gap ? [{ at: gap.from, what: `the longest time without a HELD begins: ${gap.to - gap.from} ms` }] : []),
    ...(gap && gap.to > gap.from ? [{ at: gap.to, what: 'the longest time without a HELD ends' }] : []),
    ...(firstAgain ? [{ at: firstAgain.at, what: `first told to send again: ${firstAgain.why}` }] : []),
    ...(lastAgain && again.length > 1 ? [{ at: lastAgain.at, what: `last told to send again: ${lastAgain.why}` }] : []),
  ];
}

function recovery({ drill, times, drained, row }: DrillResult): string {
  const healed = times.healedAt - times.faultAt;
  const took = Object.entries(drained).map(([part, ms]) => `${part} ${ms === null ? 'never' : `after ${ms} ms`}`);
  return list([
    drill.heal ? `After ${healed} ms: ${drill.recovery}.` : `Nobody acted: ${drill.recovery}.`,
    `What waited then was done: ${took.join(', ')}.`,
    `The gate was in use again ${row.gate_back_after_heal_ms === null ? 'never' : `after ${row.gate_back_after_heal_ms} ms`}.`,
    row.died === 0 ? 'No process had to be started by hand.' : `${row.died} processes died by themselves.`,
  ]);
}

function objectives({ attainments }: DrillResult): string {
  if (attainments.length === 0) return 'Only the laws were asked for.';
  const rows = attainments.map(
    ({ name, limit, measured, met }) => `| ${name} | ${limit} | ${measured ?? 'never'} | ${met ? 'met' : 'MISSED'} |`,
  );
  return ['| objective | at most | measured | |', '| --- | ---: | ---: | --- |', ...rows].join('\n');
}

function laws({ row }: DrillResult): string {
  const { oversold, lost, duplicates, undecided, false_refusals, conserved } = row;
  return `oversold ${oversold}, lost ${lost}, duplicates ${duplicates}, undecided ${undecided}, false refusals ${false_refusals}, ${conserved ? 'every unit is accounted for' : 'units do NOT add up'}.`;
}

function sentAgain({ sights, times }: DrillResult): string {
  const reasons = reasonsToSendAgain(sights, times.faultAt);
  if (reasons.length === 0) return 'Nothing.';
  return list(reasons.slice(0, MOST_REASONS).map(([why, count]) => `${count} times ${why}`));
}

function list(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join('\n');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}
