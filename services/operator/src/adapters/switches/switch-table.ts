import type { Paint } from '#libs/terminal/paint.js';
import { type Column, renderTable } from '#libs/terminal/table.js';
import type { SwitchesShown } from '../../app/show-switches.js';
import { type ControlChange, isSet, type Setting, type Switch, scopeWords } from '../../domain/switches.js';
import { instantText, untilText } from '../time-text.js';

const switchColumns: Column[] = [
  { title: 'of' },
  { title: 'switch' },
  { title: 'path' },
  { title: 'version', side: 'right' },
  { title: 'set by' },
  { title: 'set at' },
  { title: 'until' },
  { title: 'why' },
];

const changeColumns: Column[] = [
  { title: 'when' },
  { title: 'what' },
  { title: 'of' },
  { title: 'change' },
  { title: 'by' },
  { title: 'why' },
];

/** Every switch, and what holds. */
export function switchesTable(
  { scope, switches, stockPath, orderPath }: SwitchesShown,
  paint: Paint,
  now: Date,
): string {
  const holds = [`${scopeWords(scope)}: stock path ${holding(stockPath)}`, `order path ${holding(orderPath)}`];
  if (switches.length === 0) return `no switch was ever set here\n${holds.join('; ')}`;
  return `${switchTable(switches, paint, now)}\n\n${holds.join('; ')}`;
}

/** Switches, a line each. */
export function switchTable(switches: readonly Switch[], paint: Paint, now: Date): string {
  return renderTable(
    switchColumns,
    switches.map((one) => switchRow(one, paint, now)),
  );
}

/** What operators changed, the newest first. */
export function historyTable(changes: readonly ControlChange[], isMore: boolean): string {
  if (changes.length === 0) return 'nothing was changed here';
  const rows = changes.map(({ changedAt, what, scope, from, to, changedBy, reason, version, expiresAt }) => [
    instantText(changedAt),
    what,
    scopeWords(scope),
    `${[from, to].filter((text) => text !== '').join(' -> ')}${version > 0 ? ` (version ${version})` : ''}${
      expiresAt === undefined ? '' : ` until ${instantText(expiresAt)}`
    }`,
    changedBy,
    reason,
  ]);
  return `${renderTable(changeColumns, rows)}${isMore ? '\nthere are older ones: --limit shows more' : ''}`;
}

function switchRow(one: Switch, paint: Paint, now: Date): string[] {
  const { scope, setting, version, setBy, setAt, expiresAt, reason } = one;
  const path = isSet(one, now) ? paint('yellow', setting.path) : setting.path;
  return [
    scopeWords(scope),
    switchWords(setting.of),
    path,
    String(version),
    setBy,
    instantText(setAt),
    untilText(expiresAt, now),
    reason,
  ];
}

function switchWords(of: Setting['of']): string {
  return of === 'stock_path' ? 'stock path' : 'order path';
}

function holding(deciding: Switch | undefined): string {
  if (deciding === undefined) return 'auto, the breakers decide';
  return `${deciding.setting.path}, as ${deciding.setBy} set it for ${scopeWords(deciding.scope)}`;
}
