import type { Paint } from '#libs/terminal/paint.js';
import { type Column, renderTable } from '#libs/terminal/table.js';
import type { LimitSource, LimitsSet, SkuLimits, StoreLimits } from '../app/ports.js';
import type { LimitsShown } from '../app/show-limits.js';
import type { Rate } from '../domain/limit-change.js';

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
    [
      ...row(`store ${store.storeId}`, store.rate ?? configured, store.rate ? 'store' : 'configured', paint),
      ...of(store),
    ],
    ...skus.map((sku) => skuRow(sku, configured, paint)),
  ];
  return renderTable(columns, rows);
}

/** What was set, and holds now. */
export function changedTable(changed: LimitsSet, paint: Paint): string {
  return appliedTable([changed], paint);
}

/** As `changedTable`, of many. */
export function appliedTable(applied: readonly LimitsSet[], paint: Paint): string {
  return renderTable(
    columns,
    applied.flatMap(({ store, sku }) => [
      ...(store
        ? [[...row(`store ${store.storeId}`, store.rate, store.rate ? 'store' : 'configured', paint), ...of(store)]]
        : []),
      ...(sku ? [skuRow(sku, undefined, paint)] : []),
    ]),
  );
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

function of({ requireIssuedRequestId }: StoreLimits): string[] {
  return ['-', requireIssuedRequestId ? 'issued only' : 'any'];
}
