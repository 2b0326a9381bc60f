import type { Refusal } from '#libs/refusal/refusal.js';
import type { Line } from '../../services/inventory/src/domain/lines.js';
import { saleWindow, type Terms } from '../../services/inventory/src/domain/terms.js';

/** A sku's row of stock and its terms, by the ledger's clock. */
export interface Stock extends Terms {
  readonly skuId: string;
  capacity: number;
  overbooked: number;
  free: number;
  held: number;
  sold: number;
  version: number;
  paused: boolean;
  readonly onSaleAt: Date | undefined;
}

/** The no that admission says to lines, each of another sku, at an instant; undefined: yes. Of all skus the lowest verdict counts, as in claims_admit. */
export function noTo(skus: ReadonlyMap<string, Stock>, lines: readonly Line[], nowMs: number): Refusal | undefined {
  let worst: Refusal | undefined;
  for (const { skuId, quantity } of lines) {
    const no = noOf(skus.get(skuId), quantity, nowMs);
    if (no && (!worst || verdictOf(no) < verdictOf(worst))) worst = no;
  }
  return worst;
}

function noOf(stock: Stock | undefined, wanted: number, nowMs: number): Refusal | undefined {
  if (!stock) throw new Error('the model has no such sku');
  const { skuId, free, held, onSaleAt, paused } = stock;
  const { fromMs, untilMs } = saleWindow({ paused: false, onSaleAt });
  if (nowMs < fromMs && onSaleAt) return { reason: 'NOT_ON_SALE', skuId, opensAt: onSaleAt };
  if (nowMs >= untilMs) return { reason: 'NOT_ON_SALE', skuId };
  if (paused) return { reason: 'PAUSED', skuId };
  if (wanted <= free) return undefined;
  if (free > 0) return { reason: 'NOT_ENOUGH', skuId, free };
  return { reason: held > 0 ? 'ALL_HELD' : 'SOLD_OUT', skuId };
}

/** 3 not yet on sale, 4 not any more, 5 paused, 8 too few, as in claims_admit. */
function verdictOf({ reason, opensAt }: Refusal): number {
  if (reason === 'NOT_ON_SALE') return opensAt ? 3 : 4;
  return reason === 'PAUSED' ? 5 : 8;
}

/** Before its opening a sale refuses nobody for good. */
export function isForGood(no: Refusal): boolean {
  return no.opensAt === undefined;
}
