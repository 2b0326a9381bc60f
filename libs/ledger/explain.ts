import { Fault } from '#libs/refusal/fault.js';
import type { Refusal } from '#libs/refusal/refusal.js';
import { functionCall, type LedgerPool } from './ledger-pool.js';
import { notFound } from './orders.js';
import { type Instant, type LedgerOrder, type OrderRow, type RefusalRow, toDate, toOrder, toRefusal } from './rows.js';
import type { EntryState } from './waitlist-rows.js';

const explainOrder = functionCall('order_explain', 1);
const explainUser = functionCall('user_explain', 3);
const explainRequest = functionCall('request_explain', 4);

/** How units of a sku moved between where they can be; a difference each. */
export interface StoryMove {
  skuId: string;
  free: number;
  held: number;
  sold: number;
}

/** What happened, with its figures. */
export type StoryFacts =
  | {
      what: 'HELD' | 'CONFIRMED' | 'CANCELLED' | 'EXPIRED' | 'FULFILLED';
      version: number;
      /** Why it was cancelled, in words. */
      note?: string;
      /** Who changed it, when that was not its user. */
      by?: string;
      moves: StoryMove[];
    }
  | { what: 'REFUSED'; version: number; refusal: Refusal }
  | { what: 'PUBLISHED'; version: number; state: string }
  | { what: 'PAID' | 'REFUND_DUE'; provider: string; paymentId: string; amountMinor: number; currency: string }
  | { what: 'DEAD_LETTER'; letterId: number; subject: string; error: string }
  | { what: 'REPLAYED' | 'DISCARDED'; letterId: number; by: string; reason: string }
  | { what: 'REPAIRED'; moves: StoryMove[] }
  | {
      what: 'ASKED';
      requestId: string;
      answer: string;
      tookMs: number;
      instance: string;
      isReplay: boolean;
      /** For how many of its kind it stands. */
      weight: number;
    }
  | {
      what: 'WAITS';
      /** Of an entry of a waitlist. */
      state: EntryState;
      skuId: string;
      quantity: number;
      /** Number of the arrival, from 1. */
      place: number;
      /** How many waited when it joined, with WAITING. */
      behind?: number;
      /** The order that it was offered. */
      offerId?: string;
      /** Why it is passed over now. */
      barred?: string;
      /** Why it is over, in words. */
      note?: string;
    }
  | {
      what: 'BOOKED';
      /** Staff of the store. */
      by: string;
      /** Why limits were passed over; empty: none were to be. */
      reason: string;
      /** Which were, in words. */
      limits?: string;
    }
  | { what: 'CHANGED'; change: string; skuId: string; was: string; became: string; by: string; reason: string };

/** One thing that happened. */
export type StoryEvent = StoryFacts & {
  at: Date;
  /** Absent: it was no order's. */
  orderId?: string;
};

/** An order and what happened to it, in the order of time. */
export interface OrderStory {
  /** Absent: the id is that of an entry of a waitlist that was offered nothing under it. */
  order?: LedgerOrder;
  events: StoryEvent[];
}

/** What somebody did about a sku. */
export interface UserStory {
  /** As user or as attendee, newest first. */
  orders: LedgerOrder[];
  events: StoryEvent[];
  /** Units of the sku that they have now, and how many one may have. */
  units: number;
  limit: number;
}

/** What came of a request id. */
export type RequestStory = Pick<UserStory, 'orders' | 'events'>;

/** Whose request it was, as far as that is known. */
export interface RequestAsked {
  requestId: string;
  userId?: string;
  /** The id that its order has. */
  orderId?: string;
}

interface MoveRow {
  sku_id: string;
  free: number;
  held: number;
  sold: number;
}

interface EventRow {
  at: Instant;
  order_id: string | null;
  what: StoryFacts['what'];
  facts: FactsRow;
}

/** Which of them there are, `what` says. */
interface FactsRow {
  version: number;
  state: string;
  note: string | null;
  moves: MoveRow[];
  refusal: RefusalRow;
  provider: string;
  payment_id: string;
  amount_minor: number;
  currency: string;
  letter_id: number;
  subject: string;
  error: string;
  changed_by: string | null;
  by: string;
  reason: string;
  change: string;
  sku_id: string;
  was: string;
  became: string;
  request_id: string;
  answer: string;
  took_ms: number;
  instance: string;
  is_replay: boolean;
  weight: number;
  quantity: number;
  place: number;
  behind: number | null;
  offer_id: string | null;
  barred: string | null;
  limits: string | null;
}

/** The calls that tell what happened. Each is one read of one snapshot. */
export function explainCalls(pool: LedgerPool) {
  return {
    /** An order, or an entry of a waitlist, and its story, at most 1000 events. Fault ORDER_NOT_FOUND. */
    async orderExplain(orderId: string): Promise<OrderStory> {
      const [row] = await pool.query<{ order_row: OrderRow | null; story: EventRow[] }>(explainOrder, [orderId]);
      if (!row) throw notFound(orderId);
      return { ...(row.order_row && { order: toOrder(row.order_row) }), events: row.story.map(toEvent) };
    },

    /** What came of a request id; nothing known of it is an empty story. */
    async requestExplain(asked: RequestAsked, { atMost }: { atMost: number }): Promise<RequestStory> {
      const { requestId, userId = null, orderId = null } = asked;
      type Row = { order_rows: OrderRow[]; story: EventRow[] };
      const [row] = await pool.query<Row>(explainRequest, [requestId, userId, orderId, atMost]);
      return { orders: row?.order_rows.map(toOrder) ?? [], events: row?.story.map(toEvent) ?? [] };
    },

    /** The newest orders of a user or attendee for a sku, and one story of all. Fault SKU_NOT_FOUND. */
    async userExplain(userId: string, skuId: string, { atMost }: { atMost: number }): Promise<UserStory> {
      type Row = { order_rows: OrderRow[]; story: EventRow[]; units: number; per_user_limit: number };
      const [row] = await pool.query<Row>(explainUser, [userId, skuId, atMost]);
      if (!row) throw new Fault('SKU_NOT_FOUND', 'there is no such sku', { metadata: { sku_id: skuId } });
      return {
        orders: row.order_rows.map(toOrder),
        events: row.story.map(toEvent),
        units: row.units,
        limit: row.per_user_limit,
      };
    },
  };
}

function toEvent(row: EventRow): StoryEvent {
  return { at: toDate(row.at), ...(row.order_id !== null && { orderId: row.order_id }), ...toFacts(row) };
}

function toFacts({ what, facts }: EventRow): StoryFacts {
  switch (what) {
    case 'REFUSED':
      return { what, version: facts.version, refusal: toRefusal(facts.refusal) };
    case 'PUBLISHED':
      return { what, version: facts.version, state: facts.state };
    case 'PAID':
    case 'REFUND_DUE':
      return {
        what,
        provider: facts.provider,
        paymentId: facts.payment_id,
        amountMinor: facts.amount_minor,
        currency: facts.currency,
      };
    case 'DEAD_LETTER':
      return { what, letterId: facts.letter_id, subject: facts.subject, error: facts.error };
    case 'REPLAYED':
    case 'DISCARDED':
      return { what, letterId: facts.letter_id, by: facts.by, reason: facts.reason };
    case 'REPAIRED':
      return { what, moves: facts.moves.map(toMove) };
    case 'ASKED': {
      const { request_id: requestId, answer, took_ms: tookMs, instance, is_replay: isReplay, weight } = facts;
      return { what, requestId, answer, tookMs, instance, isReplay, weight };
    }
    case 'BOOKED': {
      const { by, reason, limits } = facts;
      return { what, by, reason, ...(limits !== null && { limits }) };
    }
    case 'WAITS':
      return toWait(facts);
    case 'CHANGED': {
      const { change, sku_id: skuId, was, became, by, reason } = facts;
      return { what, change, skuId, was, became, by, reason };
    }
    default:
      return {
        what,
        version: facts.version,
        ...(facts.note && { note: facts.note }),
        ...(facts.changed_by && { by: facts.changed_by }),
        moves: facts.moves.map(toMove),
      };
  }
}

function toWait(facts: FactsRow): Extract<StoryFacts, { what: 'WAITS' }> {
  return {
    ...{ what: 'WAITS', state: facts.state as EntryState, skuId: facts.sku_id },
    ...{ quantity: facts.quantity, place: facts.place },
    ...(facts.behind !== null && { behind: facts.behind }),
    ...(facts.offer_id !== null && { offerId: facts.offer_id }),
    ...(facts.barred !== null && { barred: facts.barred }),
    ...(facts.note !== null && { note: facts.note }),
  };
}

function toMove({ sku_id: skuId, free, held, sold }: MoveRow): StoryMove {
  return { skuId, free, held, sold };
}
