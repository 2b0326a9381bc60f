import { renderTable } from '#libs/terminal/table.js';
import type { Rule } from './planted.js';
import { runSchedule, scheduleOf } from './run-schedule.js';
import type { Found } from './search.js';
import { shrink } from './shrink.js';
import type { Hunted, Result } from './simulate.js';

export interface Summary {
  readonly schedules: number;
  readonly violations: number;
  readonly planted: number;
  readonly planted_found: number;
}

export function summaryOf({ checked, violations, hunted }: Result): Summary {
  const bugs = hunted.filter(({ kind }) => kind === 'bug');
  return {
    schedules: checked,
    violations: violations.length,
    planted: bugs.length,
    planted_found: bugs.filter(({ broken }) => broken).length,
  };
}

/** Whether the laws held and everything planted was found where it must be. */
export function isAsPromised({ violations, hunted }: Result): boolean {
  return violations.length === 0 && hunted.every(({ kind, broken }) => (kind === 'sloppiness') !== Boolean(broken));
}

/** What was planted, with the seed and the schedules that it took. */
export function renderHunted(hunted: readonly Hunted[]): string {
  return renderTable(
    [
      { title: 'planted' },
      { title: 'law' },
      { title: 'schedules', side: 'right' },
      { title: 'seed', side: 'right' },
      { title: 'steps', side: 'right' },
      { title: 'what' },
    ],
    hunted.map(({ planted, kind, checked, broken }) => [
      planted.name,
      broken?.law ?? (kind === 'sloppiness' ? 'none, as it must be' : 'NOT FOUND'),
      String(checked),
      broken ? String(broken.seed) : '',
      broken ? String(shortest(broken, planted.name as Rule).steps.length) : '',
      planted.what,
    ]),
  );
}

/** A broken law in words: the shortest schedule that breaks it, and the command that runs it again. */
export function renderViolation(broken: NonNullable<Found['broken']>, without: Rule | undefined): string {
  const { seed, what } = broken;
  const schedule = shortest(broken, without);
  const trace: string[] = [];
  runSchedule(schedule, rulesOf(without), (text) => trace.push(`  ${text}`));
  const command = `npm run simulate -- --schedules 1 --seed ${seed}${without ? ` --without ${without}` : ''}`;
  return [
    `seed ${seed}: ${what}`,
    `  again: ${command}`,
    `  ${schedule.steps.length} steps are enough:`,
    ...trace,
  ].join('\n');
}

function shortest({ seed, law }: NonNullable<Found['broken']>, without: Rule | undefined): ReturnType<typeof shrink> {
  return shrink(scheduleOf(seed), rulesOf(without), law);
}

function rulesOf(without: Rule | undefined): ReadonlySet<Rule> {
  return new Set(without ? [without] : []);
}
