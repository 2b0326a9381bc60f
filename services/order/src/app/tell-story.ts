import type { StoryEvent, StoryMove } from '#libs/ledger/explain.js';
import type { LedgerOrder } from '#libs/ledger/rows.js';
import type { Refusal } from '#libs/refusal/refusal.js';

/** One thing that happened, in words for people. */
export interface ToldEvent {
  readonly at: Date;
  /** Empty: it was no order's. */
  readonly orderId: string;
  readonly what: StoryEvent['what'];
  readonly text: string;
}

type EventOf<What extends StoryEvent['what']> = Extract<StoryEvent, { what: What }>;
/** An order became something, or was changed and is what it was. */
type StepEvent = Extract<StoryEvent, { version: number; moves: StoryMove[] }>;

/** Puts what happened into words; times are UTC, and without the day when it is that of the event. */
export function tellStory(events: readonly StoryEvent[], orders: readonly LedgerOrder[]): ToldEvent[] {
  const byId = new Map(orders.map((order) => [order.orderId, order]));
  return events.map((event) => {
    const { at, orderId = '', what } = event;
    return { at, orderId, what, text: textOf(event, byId.get(orderId)) };
  });
}

function textOf(event: StoryEvent, order: LedgerOrder | undefined): string {
  switch (event.what) {
    case 'HELD':
      if (event.version > 1 && event.moves.length === 0) return `prolonged${untilOf(event, order)}`;
      return partOf(event) ?? `held ${unitsOf(event.moves, order)}${untilOf(event, order)}${unmoved(event.moves)}`;
    case 'CONFIRMED':
      return partOf(event) ?? `sold ${unitsOf(event.moves, order)}${howSold(event)}${unmoved(event.moves)}`;
    case 'CANCELLED':
      return `cancelled${byOf(event)}${event.note ? ` (${event.note})` : ''}, ${givenBack(event.moves)}`;
    case 'EXPIRED':
      return `expired unpaid, ${givenBack(event.moves)}`;
    case 'FULFILLED':
      return `fulfilled ${linesOf(order)}${byOf(event)}`;
    case 'REFUSED':
      return `refused ${linesOf(order)}: ${reasonOf(event.refusal, event.at)}`;
    case 'PUBLISHED':
      return `event published: ${event.state}, version ${event.version}`;
    case 'PAID':
      return `paid ${amountOf(event)} by ${event.provider}, ${event.paymentId}`;
    case 'REFUND_DUE':
      return `paid ${amountOf(event)} by ${event.provider}, ${event.paymentId}; it is due for refund`;
    case 'DEAD_LETTER':
      return `could not be processed, kept as dead letter ${event.letterId} of ${event.subject}: ${event.error}`;
    case 'REPLAYED':
    case 'DISCARDED':
      return `dead letter ${event.letterId} ${event.what.toLowerCase()} by ${event.by}: ${event.reason}`;
    case 'REPAIRED':
      return `repaired: ${event.moves.map(differencesOf).join('; ')}`;
    case 'ASKED':
      return asked(event);
    case 'BOOKED':
      return booked(event);
    case 'WAITS':
      return waits(event);
    case 'CHANGED':
      return `${event.change} of ${event.skuId} by ${event.by}, ${event.was} -> ${event.became}: ${event.reason}`;
  }
}

/** `pressed with key k-1, was told SOLD_OUT after 12 ms by gateway-1; it stands for 40 of its kind` */
function asked({ requestId, answer, tookMs, instance, isReplay, weight }: EventOf<'ASKED'>): string {
  const again = isReplay ? 'again ' : '';
  const others = weight > 1 ? `; it stands for about ${Math.round(weight)} like it` : '';
  return `pressed with key ${requestId}, was ${again}told ${answer} after ${tookMs} ms by ${instance}${others}`;
}

/** `booked by rita of the store, over limit 1 of SKU clinic-1: his mother is ill` */
function booked({ by, reason, limits }: EventOf<'BOOKED'>): string {
  if (reason === '') return `booked by ${by} of the store`;
  return `booked by ${by} of the store, over ${limits ?? 'no limit, as it turned out'}: ${reason}`;
}

/** What became of a place in a waitlist. */
function waits(event: EventOf<'WAITS'>): string {
  const { state, skuId, quantity, place, behind, offerId, barred, note } = event;
  const why = note ? `: ${note}` : '';
  switch (state) {
    case 'WAITING': {
      const over = barred ? `; it is passed over now: ${barred}` : '';
      return `joined the waitlist of ${skuId} for ${quantity}, number ${place}, ${behind ?? 0} waited${over}`;
    }
    case 'OFFERED':
      return `was next in the waitlist of ${skuId} and was offered ${quantity}, order ${offerId ?? '-'}`;
    case 'PROMOTED':
      return `got ${quantity} of ${skuId} through the waitlist, order ${offerId ?? '-'}`;
    case 'EXPIRED':
      return `the offer of ${skuId} was not taken in time`;
    case 'DECLINED':
      return `the offer of ${skuId} was declined${why}`;
    case 'LEFT':
      return `left the waitlist of ${skuId}${why}`;
    case 'ENDED':
      return `the waitlist of ${skuId} ended${why}`;
  }
}

/** `2 of clinic-1 for anna` */
function linesOf(order: LedgerOrder | undefined): string {
  if (order === undefined || order.lines.length === 0) return 'an order without lines';
  return order.lines.map(({ quantity, skuId, attendeeId }) => `${quantity} of ${skuId} for ${attendeeId}`).join(', ');
}

/** The lines, if they are still those that moved; else what moved of each sku. */
function unitsOf(moves: readonly StoryMove[], order: LedgerOrder | undefined): string {
  const moved = new Map(moves.map(({ skuId, held, sold }) => [skuId, Math.max(held, sold)]));
  const isAsItWas = order?.lines.every(({ skuId }) => unitsIn(order, skuId) === moved.get(skuId)) ?? false;
  if (moves.length === 0 || isAsItWas) return linesOf(order);
  return [...moved].map(([skuId, units]) => `${units} of ${skuId}`).join(', ');
}

function unitsIn({ lines }: LedgerOrder, skuId: string): number {
  return lines.reduce((units, line) => units + (line.skuId === skuId ? line.quantity : 0), 0);
}

/** What came back of an order that goes on, or went to another sku. */
function partOf(event: StepEvent): string | undefined {
  const { moves } = event;
  if (!moves.some(({ free }) => free > 0)) return undefined;
  if (moves.every(({ free }) => free > 0)) return `${givenBack(moves)}${byOf(event)}`;
  return `moved${byOf(event)}: ${moves.map(differencesOf).join('; ')}`;
}

/** Who changed it; nothing of its user. */
function byOf({ by }: StepEvent): string {
  return by === undefined ? '' : ` by ${by}`;
}

function howSold({ version, moves }: { version: number; moves: readonly StoryMove[] }): string {
  if (moves.some(({ held }) => held < 0)) return '';
  return version > 1 ? ', taken anew for late money' : ' without a payment';
}

/** How long it is held stands in the order only as long as it is. */
function untilOf({ at }: StoryEvent, order: LedgerOrder | undefined): string {
  return order?.expiresAt ? ` until ${timeOf(order.expiresAt, at)}` : '';
}

/** A change of state that should have moved units and left no movement is what an operator looks for. */
function unmoved(moves: readonly StoryMove[]): string {
  return moves.length === 0 ? ', but no unit moved' : '';
}

function givenBack(moves: readonly StoryMove[]): string {
  if (moves.length === 0) return 'but no unit moved';
  return `${moves.map(({ skuId, free }) => `${free} of ${skuId}`).join(', ')} given back`;
}

/** `clinic-1 free -1, held +1` */
function differencesOf({ skuId, free, held, sold }: StoryMove): string {
  const differences = Object.entries({ free, held, sold }).filter(([, units]) => units !== 0);
  return `${skuId} ${differences.map(([where, units]) => `${where} ${units > 0 ? '+' : ''}${units}`).join(', ')}`;
}

function reasonOf(refusal: Refusal, at: Date): string {
  const { skuId } = refusal;
  switch (refusal.reason) {
    case 'NOT_ENOUGH':
      return `only ${refusal.free ?? 0} of ${skuId} were free`;
    case 'ALL_HELD': {
      const release = refusal.nextReleaseAt ? `, the first hold ended at ${timeOf(refusal.nextReleaseAt, at)}` : '';
      return `none of ${skuId} was free, some were on hold${release}`;
    }
    case 'SOLD_OUT':
      return `${skuId} was sold out`;
    case 'NOT_ON_SALE':
      return `${skuId} was not on sale${notOnSale(refusal, at)}`;
    case 'LIMIT_REACHED':
      return `one may have ${refusal.limit ?? 0} ${limitedBy(refusal)}${refusal.ownOrderId ? `, see order ${refusal.ownOrderId}` : ''}`;
    case 'ALREADY_BOOKED':
      return `its user had ${skuId} already, see order ${refusal.ownOrderId}`;
    case 'MAX_PER_ORDER':
      return `an order may take ${refusal.limit ?? 0} of ${skuId}`;
    case 'PAUSED':
      return `${skuId} was paused`;
    case 'UNPROCESSABLE':
      return 'it could not be processed';
    case 'WAITLIST_FULL':
      return `the waitlist of ${skuId} was full, or its user waited at ten skus already`;
    case 'PRICE_DIFFERS':
      return `a unit of ${skuId} has another price`;
    case 'SALE_CANCELLED':
      return `the sale of ${skuId} was cancelled`;
  }
}

/** What a limit is about. */
function limitedBy({ scope, skuId }: Refusal): string {
  switch (scope) {
    case 'STORE':
      return 'of all skus of the store';
    case 'GROUP':
      return `of the group of ${skuId}`;
    case 'OPEN_ORDERS':
      return 'unpaid at the store';
    case 'UNFULFILLED':
      return 'unused at the store';
    default:
      return `of ${skuId}`;
  }
}

function notOnSale({ opensAt, closedAt, slotPast }: Refusal, at: Date): string {
  if (opensAt) return `, it opened at ${timeOf(opensAt, at)}`;
  if (closedAt) return `, it closed at ${timeOf(closedAt, at)}`;
  return slotPast ? ', it had begun' : '';
}

/** `15.00 EUR`, with as many decimals as the currency has. */
function amountOf({ amountMinor, currency }: { amountMinor: number; currency: string }): string {
  const { maximumFractionDigits: decimals = 2 } = new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
  }).resolvedOptions();
  return `${(amountMinor / 10 ** decimals).toFixed(decimals)} ${currency}`;
}

/** `10:15:00Z`, with its day when that is not the day of the event. */
function timeOf(instant: Date, at: Date): string {
  const text = `${instant.toISOString().slice(0, 19)}Z`;
  const [day, time = ''] = text.split('T');
  return day === at.toISOString().slice(0, 10) ? time : text;
}
