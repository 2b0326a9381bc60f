import type { Paint } from '#libs/terminal/paint.js';
import { renderFacts } from '#libs/terminal/table.js';
import type { SkuShown } from '../../app/show-sku.js';
import { decimalsOf } from '../../domain/money.js';
import type { Sku, SkuUnits } from '../../domain/sku.js';
import { scopeWords } from '../../domain/switches.js';
import { switchTable } from '../switches/switch-table.js';
import { durationText, exactText, instantText } from '../time-text.js';

/** Terms, units, and the switches that bear on it. */
export function shownTable({ sku, units, switches, deciding }: SkuShown, paint: Paint, now: Date): string {
  const path =
    deciding === undefined
      ? 'stock path: auto, the breakers decide'
      : `stock path: ${deciding.setting.path}, as ${deciding.setBy} set it for ${scopeWords(deciding.scope)}`;
  const parts = [stockedText({ sku, units }, paint), termsText(sku)];
  return [...parts, ...(switches.length > 0 ? [switchTable(switches, paint, now)] : []), path].join('\n\n');
}

/** A sku and where its units are. */
export function stockedText({ sku, units }: Pick<SkuShown, 'sku' | 'units'>, paint: Paint): string {
  return `${nameLine(sku, paint)}\n${renderFacts([
    ['capacity', `${figure(sku.capacity)}${sku.overbooked > 0 ? paint('red', ` + ${sku.overbooked} overbooked`) : ''}`],
    ['free', figure(units.free)],
    ['reserved', figure(units.reserved)],
    ['held', figure(units.held)],
    ['sold', figure(units.sold)],
    ['on sale', saleText(sku, units, paint)],
  ])}`;
}

/** `kiln-mug of store kiln: A mug`, and whether it is paused or cancelled. */
export function nameLine({ skuId, storeId, title, paused, cancelledAt }: Sku, paint: Paint): string {
  const state = cancelledAt ? paint('red', ' (cancelled)') : paused ? paint('yellow', ' (paused)') : '';
  return `${paint('bold', skuId)} of store ${storeId}: ${title}${state}`;
}

/** A price as people write it; minor units when the currency is not known. */
export function priceText(minor: number, currency: string): string {
  const decimals = decimalsOf(currency);
  return `${(minor / 10 ** decimals).toFixed(decimals)} ${currency}`;
}

function termsText(sku: Sku): string {
  const { rate } = sku;
  return renderFacts([
    ['starts at', `${instantText(sku.startsAt)}${sku.timeZone === '' ? '' : ` (${sku.timeZone})`}`],
    ['on sale at', instantText(sku.onSaleAt)],
    ['off sale at', instantText(sku.offSaleAt)],
    ['per user', figure(sku.perUserLimit)],
    ['per order', figure(sku.maxPerOrder)],
    ['hold', exactText(sku.holdTtlSeconds)],
    ['price', `${priceText(sku.priceMinor, sku.currency)}${sku.paymentRequired ? '' : ', no payment needed'}`],
    [
      'rate limit',
      rate === undefined ? 'none of its own' : `${figure(rate.perSecond)} a second, burst ${figure(rate.burst)}`,
    ],
    ['when busy', sku.onBusy ?? 'queue'],
    ['when sold out', sku.onSoldOut === 'join_waitlist' ? 'its waitlist is joined' : 'refuse'],
    ['waitlist', waitlistText(sku)],
    ['late payment', sku.latePayment === 'refund' ? 'goes back' : 'gets its units again if they are free'],
    ['cancel', cancelText(sku)],
    ...(sku.limitGroup ? [['limit group', sku.limitGroup] as const] : []),
  ]);
}

function cancelText({ freeCancelSeconds, lateCancel }: Sku): string {
  if (typeof freeCancelSeconds !== 'number') return 'free at any time';
  const until = freeCancelSeconds === 0 ? 'it starts' : `${exactText(freeCancelSeconds)} before it starts`;
  return `free until ${until}, then ${lateCancel === 'no_refund' ? 'without a refund' : 'refused'}`;
}

/** `at most 100,000, strictly in turn; an offer is kept for 15 min` */
function waitlistText({ waitlist, waitlistPaused, holdTtlSeconds }: Sku): string {
  const { maxEntries, order, maxSkips, accept, offerTtlSeconds } = waitlist;
  const times = maxSkips === 1 ? 'once' : `${figure(maxSkips)} times`;
  const turn = order === 'strict' ? 'strictly in turn' : `whom it is enough for, nobody passed over more than ${times}`;
  const free = accept === 'auto' ? 'confirmed at once' : 'offered';
  const kept = `an offer is kept for ${exactText(offerTtlSeconds || holdTtlSeconds)}, what costs nothing is ${free}`;
  return `at most ${figure(maxEntries)}, ${turn}; ${kept}${waitlistPaused ? '; paused' : ''}`;
}

function saleText(sku: Sku, { onSale, opensInMs, state }: SkuUnits, paint: Paint): string {
  if (onSale) return `yes, ${state.replace('_', ' ')}`;
  if (sku.cancelledAt) return paint('red', `no, it was cancelled at ${instantText(sku.cancelledAt)}`);
  if (sku.paused) return paint('yellow', 'no, it is paused');
  return opensInMs > 0 ? `in ${durationText(opensInMs)}` : 'no, its time is over';
}

function figure(value: number): string {
  return value.toLocaleString('en-US');
}
