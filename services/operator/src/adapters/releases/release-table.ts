import type { Paint } from '#libs/terminal/paint.js';
import { type Column, renderTable } from '#libs/terminal/table.js';
import type { ReleaseSeen } from '../../app/list-releases.js';
import { durationText, instantText } from '../time-text.js';

const columns: Column[] = [
  { title: 'opens' },
  { title: 'in' },
  { title: 'store' },
  { title: 'sku' },
  { title: 'units', side: 'right' },
  { title: 'free', side: 'right' },
  { title: 'gate' },
  { title: 'path' },
  { title: 'limit', side: 'right' },
  { title: 'to look at' },
];

/** Sales in the order of their openings, and what to look at before. */
export function releasesTable(releases: readonly ReleaseSeen[], paint: Paint): string {
  if (releases.length === 0) return 'nothing opens in that time';
  const doubtful = releases.filter(({ warnings }) => warnings.length > 0);
  const [first] = doubtful;
  const last =
    first === undefined
      ? paint('green', 'all of them are ready')
      : `${doubtful.length} to look at; next: ${paint('bold', `holdfast sku show ${first.sku.skuId}`)}`;
  return `${renderTable(
    columns,
    releases.map((release) => row(release, paint)),
  )}\n\n${last}`;
}

function row({ sku, units, gateLoaded, stockPath, warnings }: ReleaseSeen, paint: Paint): string[] {
  return [
    instantText(sku.onSaleAt),
    units.opensInMs > 0 ? durationText(units.opensInMs) : 'open',
    sku.storeId,
    sku.skuId,
    sku.capacity.toLocaleString('en-US'),
    units.free.toLocaleString('en-US'),
    gateLoaded ? 'warm' : 'cold',
    stockPath,
    sku.rate === undefined ? '-' : `${sku.rate.perSecond.toLocaleString('en-US')}/s`,
    warnings.length === 0 ? '-' : paint('yellow', warnings.join(', ')),
  ];
}
