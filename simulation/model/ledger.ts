import { type Decision, decisionOf } from '#libs/ledger/decision.js';
import type { LedgerOrder, OrderState } from '#libs/ledger/rows.js';
import type { Refusal } from '#libs/refusal/refusal.js';
import { sameLines } from '../../services/inventory/src/domain/lines.js';
import type { Rule } from '../planted.js';
import type { TriedClaim, Try } from './claims.js';
import { isForGood, noTo, type Stock } from './stock.js';
import { type OrderEvent, transitions } from './transitions.js';

/** A row of orders. Each change puts another order in its place, so that what was read stays as it was read. */
export interface Row {
  order: LedgerOrder;
  /** Whose claim it was born by. */
  readonly by: Try;
}

export interface Movement {
  readonly row: Row;
  readonly skuId: string;
  readonly version: number;
  readonly free: number;
  readonly held: number;
  readonly sold: number;
  /** Units that came back and made the sku less overbooked. */
  readonly overbooked: number;
  readonly reason: 'ADMIT' | OrderEvent;
  readonly atMs: number;
  /** Of the hold that the order was before. */
  readonly expiresAt: Date | undefined;
}

export interface Payment {
  readonly paymentId: string;
  readonly orderId: string;
  state: 'CAPTURED' | 'REFUND_DUE';
  /** How often it became due for refund. */
  refunds: number;
}

export interface HowAdmitted {
  /** Whether a no leaves a row. */
  readonly record: boolean;
  /** Ledger time; none for what the stream or the journal has in time. */
  readonly notAfterMs?: number | undefined;
}

/** What parked_read says of one claim. */
export interface Word {
  readonly known?: Decision;
  readonly no?: Decision;
}

const HOLD_MS = 9_000;

/** The ledger: each method is one transaction, with the locks held and the clock read inside of it. */
export class Ledger {
  readonly rows: Row[] = [];
  readonly movements: Movement[] = [];
  readonly payments: Payment[] = [];
  readonly skus: ReadonlyMap<string, Stock>;
  unmarkedUntilMs: number | undefined;
  /** Rises with each change. */
  revision = 0;
  readonly #byId = new Map<string, Row>();

  constructor(
    stocks: readonly Stock[],
    private readonly rules: ReadonlySet<Rule>,
    private readonly clock: () => number,
  ) {
    this.skus = new Map(stocks.map((stock) => [stock.skuId, stock]));
  }

  rowOf(orderId: string): Row | undefined {
    return this.#byId.get(orderId);
  }

  /** claims_admit for one claim. */
  admit(claim: TriedClaim, { record, notAfterMs }: HowAdmitted): Decision {
    const { orderId } = claim;
    const known = this.#byId.get(orderId);
    if (known && !(this.rules.has('no-key') && known.order.state === 'HELD')) return wordOn(known.order, claim);
    const nowMs = this.clock();
    if (notAfterMs !== undefined && notAfterMs < nowMs && !this.rules.has('not-after-ignored'))
      return { orderId, kind: 'FAULT', reason: 'TOO_LATE', metadata: {} };
    const no = noTo(this.skus, claim.lines, nowMs);
    if (!no) return decisionOf(this.#take(claim, nowMs).order);
    const recorded = record && isForGood(no) && !this.rules.has('unrecorded-no');
    if (recorded) this.#insert(claim, 'REFUSED', { refusal: no });
    return { orderId, kind: 'REFUSED', refusal: no, recorded };
  }

  /** parked_read: one snapshot for all. */
  parkedRead(claims: readonly TriedClaim[]): { nowMs: number; skus: Stock[]; words: Word[]; unmarkedUntilMs?: number } {
    const nowMs = this.clock();
    const words = claims.map((claim): Word => {
      const row = this.#byId.get(claim.orderId);
      if (row) return { known: wordOn(row.order, claim) };
      const no = noTo(this.skus, claim.lines, nowMs);
      return no ? { no: { orderId: claim.orderId, kind: 'REFUSED', refusal: no, recorded: false } } : {};
    });
    const { unmarkedUntilMs } = this;
    return { nowMs, skus: this.stockRead(), words, ...(unmarkedUntilMs !== undefined && { unmarkedUntilMs }) };
  }

  stockRead(): Stock[] {
    return [...this.skus.values()].map((stock) => ({ ...stock }));
  }

  ordersRead(orderIds: readonly string[]): LedgerOrder[] {
    return orderIds.flatMap((orderId) => this.#byId.get(orderId)?.order ?? []);
  }

  unmarkedNote(forMs: number): number {
    if (this.rules.has('unmarked-not-noted')) return this.clock() + forMs;
    this.unmarkedUntilMs = Math.max(this.unmarkedUntilMs ?? 0, this.clock() + forMs);
    return this.unmarkedUntilMs;
  }

  /** orders_expire. The clock is the ledger's. */
  expire(atMs = this.clock()): number {
    const due = this.rows.filter(({ order }) => order.state === 'HELD' && (order.expiresAt?.getTime() ?? 0) <= atMs);
    for (const row of due) this.#transit(row, 'EXPIRE', atMs);
    return due.length;
  }

  /** order_cancel, or FULFIL. */
  change(orderId: string, event: 'CANCEL' | 'FULFIL'): void {
    const row = this.#byId.get(orderId);
    if (row) this.#transit(row, event, this.clock());
  }

  /** payment_confirm: a payment counts once. False: there is no such order. */
  pay(paymentId: string, orderId: string): boolean {
    const row = this.#byId.get(orderId);
    if (!row) return false;
    const known = this.payments.some((payment) => payment.paymentId === paymentId);
    if (known && !this.rules.has('payment-twice')) return true;
    const effect = this.#transit(row, 'PAY', this.clock());
    if (effect === 'REFUND' && this.rules.has('late-money-kept')) return true;
    const isCaptured = effect === 'SELL';
    this.payments.push({
      paymentId,
      orderId,
      state: isCaptured ? 'CAPTURED' : 'REFUND_DUE',
      refunds: isCaptured ? 0 : 1,
    });
    this.revision += 1;
    return true;
  }

  /** Below what is taken the rest is overbooked. */
  setCapacity(skuId: string, capacity: number): void {
    const stock = this.#stock(skuId);
    const taken = stock.held + stock.sold;
    stock.capacity = capacity;
    stock.overbooked = Math.max(0, taken - capacity);
    stock.free = Math.max(0, capacity - taken);
    this.#touch(stock);
  }

  setPaused(skuId: string, paused: boolean): void {
    const stock = this.#stock(skuId);
    stock.paused = paused;
    this.#touch(stock);
  }

  /** Takes units back as if an order had never been, without looking: what no rule of ours does. */
  giveBackUnchecked(lines: TriedClaim['lines'], row: Row): void {
    for (const { skuId, quantity: units } of lines)
      this.#move({ row, skuId, version: row.order.version + 1, free: units, held: -units, sold: 0, reason: 'CANCEL' });
  }

  /** The other half of a cancellation that looks only once: what no rule of ours does. */
  markCancelled(orderId: string): void {
    const row = this.#byId.get(orderId);
    if (!row) return;
    const { expiresAt: _, ...order } = row.order;
    row.order = { ...order, state: 'CANCELLED', version: order.version + 1 };
    this.revision += 1;
  }

  /** What admission would say, without doing it. */
  foresee(claim: TriedClaim): Decision {
    const known = this.#byId.get(claim.orderId);
    if (known) return wordOn(known.order, claim);
    const refusal = noTo(this.skus, claim.lines, this.clock());
    const { orderId } = claim;
    return refusal
      ? { orderId, kind: 'REFUSED', refusal, recorded: true }
      : decisionOf(this.#born(claim, 'HELD', { expiresAt: new Date(this.clock() + HOLD_MS) }));
  }

  /** Takes what was read to be free a while ago: what no rule of ours does. */
  takeUnchecked(claim: TriedClaim): Decision {
    const known = this.#byId.get(claim.orderId);
    return known ? wordOn(known.order, claim) : decisionOf(this.#take(claim, this.clock()).order);
  }

  #take(claim: TriedClaim, nowMs: number): Row {
    const row = this.#insert(claim, 'HELD', { expiresAt: new Date(nowMs + HOLD_MS) });
    for (const { skuId, quantity: units } of claim.lines)
      this.#move({ row, skuId, version: 1, free: -units, held: units, sold: 0, reason: 'ADMIT' });
    return row;
  }

  #insert(claim: TriedClaim, state: OrderState, more: { refusal?: Refusal; expiresAt?: Date }): Row {
    const row = { order: this.#born(claim, state, more), by: claim.by };
    this.rows.push(row);
    this.#byId.set(claim.orderId, row);
    this.revision += 1;
    return row;
  }

  #born(claim: TriedClaim, state: OrderState, more: { refusal?: Refusal; expiresAt?: Date }): LedgerOrder {
    const { orderId, storeId, userId, requestId, lines } = claim;
    return {
      orderId,
      storeId,
      userId,
      requestId,
      state,
      version: 1,
      lines,
      amountMinor: 1,
      currency: 'EUR',
      createdAt: new Date(this.clock()),
      channel: 'APP',
      ...more,
    };
  }

  #transit(row: Row, event: OrderEvent, atMs: number): string {
    const { refusal: _, expiresAt, ...order } = row.order;
    const isLapsed = order.state === 'HELD' && (expiresAt?.getTime() ?? 0) <= atMs;
    const [to, effect] = transitions[event][isLapsed ? 'LAPSED' : order.state];
    if (!to) return effect;
    const wasHeld = order.state === 'HELD';
    const version = order.version + 1;
    if (effect === 'SELL' || effect === 'RELEASE')
      for (const { skuId, quantity: units } of order.lines) {
        const [held, sold] = effect === 'SELL' ? [-units, units] : wasHeld ? [-units, 0] : [0, -units];
        this.#move({ row, skuId, version, free: effect === 'SELL' ? 0 : units, held, sold, reason: event });
      }
    row.order = { ...order, state: to, version };
    if (effect === 'RELEASE') this.#refund(order.orderId);
    this.revision += 1;
    return effect;
  }

  #refund(orderId: string): void {
    for (const payment of this.payments)
      if (payment.orderId === orderId && payment.state === 'CAPTURED') {
        payment.state = 'REFUND_DUE';
        payment.refunds += 1;
      }
  }

  #move(units: Pick<Movement, 'row' | 'skuId' | 'version' | 'free' | 'held' | 'sold' | 'reason'>): void {
    const stock = this.#stock(units.skuId);
    // What comes back makes an overbooked sku less overbooked before anybody else may have it.
    const owed = Math.min(stock.overbooked, Math.max(0, units.free));
    const moved = { ...units, free: units.free - owed, overbooked: owed };
    stock.overbooked -= owed;
    stock.free += moved.free;
    stock.held += moved.held;
    stock.sold += moved.sold;
    const { row } = units;
    this.movements.push({ ...moved, atMs: this.clock(), expiresAt: row.order.expiresAt });
    this.#touch(stock);
  }

  #touch(stock: Stock): void {
    stock.version += 1;
    this.revision += 1;
  }

  #stock(skuId: string): Stock {
    const stock = this.skus.get(skuId);
    if (!stock) throw new Error(`the model has no sku ${skuId}`);
    return stock;
  }
}

/** The word on an id that has a row: what it is, when the lines are the same. */
function wordOn(order: LedgerOrder, { orderId, lines }: TriedClaim): Decision {
  return sameLines(order.lines, lines)
    ? decisionOf(order)
    : { orderId, kind: 'FAULT', reason: 'REQUEST_ID_REUSED', metadata: {} };
}
