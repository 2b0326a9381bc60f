import type { Paint } from '#libs/terminal/paint.js';
import { type Column, renderFacts, renderTable } from '#libs/terminal/table.js';
import type { LimitSource, LimitsSet, SkuLimits, StoreLimits } from '../../app/ports.js';
import type { LimitsChanged } from '../../app/set-limits.js';
import type { LimitsShown } from '../../app/show-limits.js';
import type { Rate } from '../../domain/limit-change.js';

const columns: Column[] = [
  { title: 'of' },
  { title: 'a second', side: 'right' },
  { title: 'burst', side: 'right' },
  { title: 'set by' },
  { title: 'when busy' },
  { title: 'request ids' },
];

/** What is configured, then the store, then its skus; each with what holds for it and who set that. */
export function limitsTable({ configured, store, skus }: LimitsShown, paint: Paint): string {
  const rows = [
    row('every store', configured, 'configured', paint),
    storeRow(store, configured, paint),
    ...skus.map((sku) => skuRow(sku, configured, paint)),
  ];
  return [renderTable(columns, rows), ...orderLimitsText(store)].join('\n\n');
}

/** What was set, and holds now. */
export function changedTable({ configured, ...set }: LimitsChanged, paint: Paint): string {
  return [renderTable(columns, setRows(set, configured, paint)), ...(set.store ? orderLimitsText(set.store) : [])].join(
    '\n\n',
  );
}

/** As `changedTable`, of many that have rates of their own. */
export function appliedTable(applied: readonly LimitsSet[], paint: Paint): string {
  return renderTable(
    columns,
    applied.flatMap((set) => setRows(set, undefined, paint)),
  );
}

function setRows({ store, sku }: LimitsSet, configured: Rate | undefined, paint: Paint): string[][] {
  return [...(store ? [storeRow(store, configured, paint)] : []), ...(sku ? [skuRow(sku, configured, paint)] : [])];
}

function storeRow(store: StoreLimits, configured: Rate | undefined, paint: Paint): string[] {
  const { storeId, rate, requireIssuedRequestId } = store;
  return [
    ...row(`store ${storeId}`, rate ?? configured, rate ? 'store' : 'configured', paint),
    '-',
    requireIssuedRequestId ? 'issued only' : 'any',
  ];
}

function skuRow(sku: SkuLimits, configured: Rate | undefined, paint: Paint): string[] {
  return [
    ...row(sku.skuId, sku.rate ?? configured, sku.source, paint),
    sku.onBusy,
    sku.requireIssuedRequestId ? 'issued only' : 'any',
  ];
}

function row(name: string, rate: Rate | undefined, source: LimitSource, paint: Paint): string[] {
  const figures = [rate?.perSecond, rate?.burst].map((figure) => figure?.toLocaleString('en-US') ?? '-');
  return [name, ...figures, source === 'configured' ? paint('dim', source) : paint('bold', source)];
}

/** What one person may have beyond one sku; nothing where the store sets nothing. */
function orderLimitsText({ perAttendeeLimit, openOrdersPerUser, unfulfilledPerUser, groups }: StoreLimits): string[] {
  const limits: [string, number][] = [
    ['units an attendee', perAttendeeLimit],
    ['unpaid orders a user', openOrdersPerUser],
    ['unused orders a user', unfulfilledPerUser],
    ...groups.map(({ groupId, perAttendeeLimit: most }): [string, number] => [`units of ${groupId}`, most]),
  ];
  const set = limits.filter(([, most]) => most > 0);
  return set.length === 0 ? [] : [renderFacts(set.map(([name, most]) => [name, most.toLocaleString('en-US')]))];
}
