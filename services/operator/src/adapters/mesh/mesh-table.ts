import type { Paint } from '#libs/terminal/paint.js';
import { type Column, renderTable } from '#libs/terminal/table.js';
import { type Breaker, hasStream, type InstanceStatus, type MeshInstance, type MeshStatus } from '../../domain/mesh.js';
import type { Concern } from '../../domain/mesh-verdict.js';
import { isSet, scopeWords } from '../../domain/switches.js';
import { switchTable } from '../switches/switch-table.js';
import { durationText } from '../time-text.js';

const columns: Column[] = [
  { title: 'service' },
  { title: 'instance' },
  { title: 'address' },
  { title: 'state' },
  { title: 'path' },
  { title: 'breakers' },
  { title: 'journal', side: 'right' },
  { title: 'lag', side: 'right' },
  { title: 'outbox', side: 'right' },
  { title: 'pool waits', side: 'right' },
  { title: 'version' },
];

/** Processes, switches that are set, open alerts, and what to look at next. */
export function meshTable(status: MeshStatus, concerns: readonly Concern[], paint: Paint, now: Date): string {
  const set = status.switches.filter((candidate) => isSet(candidate, now));
  return [
    renderTable(
      columns,
      status.instances.map((instance) => instanceRow(instance, paint)),
    ),
    set.length === 0 ? 'switches: none is set' : switchTable(set, paint, now),
    alertsLine(status.openAlerts, paint),
    verdictLine(concerns, paint),
  ].join('\n\n');
}

/** What is told of a mesh when it changes, by its name. */
export function meshFacts({ instances, switches, openAlerts }: MeshStatus, now: Date): Map<string, string> {
  const facts = instances.flatMap(({ service, address, status, problem }): [string, string][] => {
    const name = `${service} ${address}`;
    if (status === undefined) return [[name, `away${problem === '' ? '' : ` (${problem})`}`]];
    const silent = status.servers.filter(({ answers }) => !answers).map((server) => server.name);
    return [
      [name, silent.length === 0 ? 'up' : `up, without ${silent.join(' and ')}`],
      ...(status.stock ? stockFacts(name, status.stock) : []),
    ];
  });
  const set = switches.filter((candidate) => isSet(candidate, now));
  return new Map([
    ...facts,
    ['switches', set.map(({ scope, setting }) => `${scopeWords(scope)} ${setting.path}`).join(', ') || 'none is set'],
    ['alerts', alertWords(openAlerts) || 'none is open'],
  ]);
}

function stockFacts(name: string, stock: NonNullable<InstanceStatus['stock']>): [string, string][] {
  return [
    [`${name} path`, pathWords(stock)],
    [`${name} breakers`, breakerWords(stock)],
  ];
}

function instanceRow({ service, address, status }: MeshInstance, paint: Paint): string[] {
  if (status === undefined) return [service, '-', address, paint('red', 'away')];
  const { instance, stock, orders, version } = status;
  return [
    service,
    instance,
    address,
    stateText(status, paint),
    stock ? notice(pathWords(stock), isDetour(stock), paint) : '-',
    stock ? notice(breakerWords(stock), !['closed', '-'].includes(breakerWords(stock)), paint) : '-',
    stock ? queueText(stock.journalSize, stock.journalOldestMs) : '-',
    orders && hasStream(status) ? queueText(orders.consumerLag, 0) : '-',
    orders && hasStream(status) ? queueText(orders.outboxLag, orders.outboxOldestMs) : '-',
    waitsText(status, paint),
    version,
  ];
}

function stateText({ servers }: InstanceStatus, paint: Paint): string {
  const silent = servers.filter(({ answers }) => !answers).map(({ name }) => name);
  return silent.length === 0 ? paint('green', 'up') : paint('yellow', `up, no ${silent.join(', ')}`);
}

function pathWords({ stockPath, orderPath }: NonNullable<InstanceStatus['stock']>): string {
  return [stockPath, orderPath].filter((word) => word !== '').join(', ') || '-';
}

function breakerWords({ gateBreaker, streamBreaker }: NonNullable<InstanceStatus['stock']>): string {
  const both: [string, Breaker][] = [
    ['gate', gateBreaker],
    ['stream', streamBreaker],
  ];
  const open = both.filter(([, state]) => state === 'open' || state === 'half_open');
  if (open.length > 0) return open.map(([name, state]) => `${name} ${state.replace('_', ' ')}`).join(', ');
  return both.some(([, state]) => state === 'closed') ? 'closed' : '-';
}

/** Whether there is a gate, or a stream, that orders go round. */
function isDetour({ stockPath, orderPath, gateBreaker, streamBreaker }: NonNullable<InstanceStatus['stock']>): boolean {
  return (stockPath === 'postgres' && gateBreaker !== 'none') || (orderPath === 'direct' && streamBreaker !== 'none');
}

function notice(text: string, isNoticed: boolean, paint: Paint): string {
  return isNoticed ? paint('yellow', text) : text;
}

/** How many wait, and since when; `?` when it cannot be asked. */
function queueText(size: number, oldestMs: number): string {
  if (size < 0) return '?';
  return size > 0 && oldestMs > 0 ? `${size.toLocaleString('en-US')}, ${durationText(oldestMs)}` : String(size);
}

function waitsText({ pools }: InstanceStatus, paint: Paint): string {
  if (pools.length === 0) return '-';
  const waiting = pools.reduce((sum, pool) => sum + pool.waiting, 0);
  const longest = Math.max(...pools.map((pool) => pool.longestWaitMs));
  const text = `${waiting}${longest > 0 ? `, longest ${durationText(longest)}` : ''}`;
  return waiting > 0 ? paint('yellow', text) : text;
}

function alertsLine(open: MeshStatus['openAlerts'], paint: Paint): string {
  const words = alertWords(open);
  return words === '' ? 'alerts: none is open' : `alerts: ${paint('red', words)}`;
}

function alertWords(open: MeshStatus['openAlerts']): string {
  return Object.entries(open)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${kind} ${count}`)
    .join(', ');
}

function verdictLine([first, ...others]: readonly Concern[], paint: Paint): string {
  if (first === undefined) return paint('green', 'all is well');
  const more = others.length === 0 ? '' : `; ${others.length} more to look at after that`;
  return `${paint('yellow', first.text)}; next: ${paint('bold', first.command)}${more}`;
}
