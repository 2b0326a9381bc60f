import type { OrderLine } from '#libs/contracts/order-lines.js';
import type { Refusal } from '#libs/refusal/refusal.js';
import type { BookedBy } from './claims-batch.js';
import type { Decision } from './decision.js';
import { type RefusalRow, type SkuRow, toRefusal } from './rows.js';
import type { OnSoldOut } from './waitlist-terms.js';

/** A sku as parked_read tells it. */
export interface ParkedSkuRow extends SkuRow {
  /** Why nobody can buy it now. */
  bar: RefusalRow | null;
  /** The refusal while no unit is free. */
  shortage: RefusalRow | null;
}

/** Units of a line's attendee in live orders. */
export interface ParkedUnits {
  units: number;
  /** The no to whoever wants too many besides. */
  refusal: RefusalRow;
}

/** What of a read a claim is judged by. Units are those of its lines, in their order. */
export interface ParkedState {
  skus: ReadonlyMap<string, ParkedSkuRow>;
  units: readonly (ParkedUnits | undefined)[];
}

interface ParkedClaim {
  orderId: string;
  storeId: string;
  onSoldOut?: OnSoldOut;
  staff?: BookedBy;
}

/** In the order in which they count: of all lines the lowest verdict is answered. */
const NO_SUCH_SKU = 1;
const OTHER_CURRENCY = 2;
const NOT_YET_ON_SALE = 3;
const NOT_ON_SALE_ANY_MORE = 4;
const PAUSED = 5;
const TOO_MANY_FOR_AN_ORDER = 6;
const TOO_MANY_FOR_AN_ATTENDEE = 7;
const TOO_FEW_FREE = 8;
const YES = 9;

/**
 * What admission would say to a claim that has no order, as far as it is a no: the words and the precedence are those of
 * claims_admit, and nothing but a test keeps them alike. Undefined when admission would say yes. The lines are canonical.
 */
export function noTo(
  claim: ParkedClaim,
  lines: readonly OrderLine[],
  { skus, units }: ParkedState,
): Decision | undefined {
  const currency = skus.get(lines[0]?.skuId ?? '')?.currency;
  const isForced = claim.staff?.forceReason !== undefined;
  let worst = YES;
  let culprit = 0;
  let wanted = 0;
  for (const [place, line] of lines.entries()) {
    const sku = skus.get(line.skuId);
    wanted = lines[place - 1]?.skuId === line.skuId ? wanted + line.quantity : line.quantity;
    const verdict =
      sku === undefined || sku.store_id !== claim.storeId
        ? NO_SUCH_SKU
        : verdictOn(sku, { wanted, currency, owned: isForced ? 0 : (units[place]?.units ?? 0) + line.quantity });
    if (verdict < worst) {
      worst = verdict;
      culprit = place;
    }
  }
  const line = lines[culprit];
  if (worst === YES || !line) return undefined;
  const { orderId } = claim;
  const sku = skus.get(line.skuId);
  if (worst <= OTHER_CURRENCY || !sku) {
    const reason = worst === OTHER_CURRENCY ? 'CURRENCY_MIXED' : 'SKU_NOT_FOUND';
    return { orderId, kind: 'FAULT', reason, metadata: { sku_id: line.skuId } };
  }
  return { orderId, kind: 'REFUSED', refusal: refusalOf(worst, sku, units[culprit]), recorded: false };
}

/** Whether a claim that too few are free for takes a place in the line of its sku: in the words of claims_admit. */
export function wouldWait(
  { onSoldOut, staff }: Partial<Pick<ParkedClaim, 'onSoldOut' | 'staff'>>,
  lines: readonly OrderLine[],
  { no, skus }: { no: Extract<Decision, { kind: 'REFUSED' }>; skus: ParkedState['skus'] },
): boolean {
  const sku = skus.get(no.refusal.skuId);
  if (staff?.forceReason !== undefined) return false;
  if (!sku || !SHORTAGES.has(no.refusal.reason) || lines.some(({ skuId }) => skuId !== sku.sku_id)) return false;
  const wanted = lines.reduce((sum, { quantity }) => sum + quantity, 0);
  return (onSoldOut ?? sku.on_sold_out) === 'JOIN_WAITLIST' && wanted <= sku.capacity;
}

const SHORTAGES: ReadonlySet<Refusal['reason']> = new Set(['NOT_ENOUGH', 'ALL_HELD', 'SOLD_OUT']);

function verdictOn(
  sku: ParkedSkuRow,
  { wanted, currency, owned }: { wanted: number; currency: string | undefined; owned: number },
): number {
  if (currency !== undefined && sku.currency !== currency) return OTHER_CURRENCY;
  if (sku.bar?.opens_at !== undefined) return NOT_YET_ON_SALE;
  if (sku.bar) return sku.bar.reason === 'NOT_ON_SALE' ? NOT_ON_SALE_ANY_MORE : PAUSED;
  if (wanted > sku.max_per_order) return TOO_MANY_FOR_AN_ORDER;
  if (owned > sku.per_user_limit) return TOO_MANY_FOR_AN_ATTENDEE;
  return wanted > sku.free ? TOO_FEW_FREE : YES;
}

function refusalOf(verdict: number, sku: ParkedSkuRow, units: ParkedUnits | undefined): Refusal {
  const { sku_id: skuId } = sku;
  if (sku.bar) return toRefusal(sku.bar);
  if (verdict === TOO_MANY_FOR_AN_ORDER) return { reason: 'MAX_PER_ORDER', skuId, limit: sku.max_per_order };
  if (verdict === TOO_MANY_FOR_AN_ATTENDEE) {
    return units ? toRefusal(units.refusal) : { reason: 'LIMIT_REACHED', skuId, limit: sku.per_user_limit };
  }
  return sku.shortage ? toRefusal(sku.shortage) : { reason: 'NOT_ENOUGH', skuId, free: sku.free };
}
