import type { OrderLine } from '#libs/contracts/order-lines.js';
import { functionCall, type LedgerPool } from './ledger-pool.js';
import type { OrderState } from './rows.js';
import type { EntryState } from './waitlist-rows.js';

const take = functionCall('outbox_take', 1);
const markPublished = functionCall('outbox_mark_published', 1);
const relays = functionCall('outbox_relays', 0);

interface EntryBase {
  id: number;
  orderId: string;
  at: Date;
}

/** One change of one order. */
export interface OrderEntry extends EntryBase {
  kind: 'ORDER';
  storeId: string;
  userId: string;
  /** Version that the change made, and the state since then. */
  version: number;
  state: OrderState;
  lines: OrderLine[];
  /** How units moved with it; absent when none did, and when the order was born. */
  moved?: MovedUnits;
}

/** What a change of an order did to units. */
export interface MovedUnits {
  /** As of a movement: PAY, CANCEL, EXPIRE, … */
  reason: string;
  /** How many came back. */
  released: number;
  /** How long the hold had lasted, when this change ended it. */
  heldSeconds?: number;
}

/** Money that is to go back: one entry for each refund. */
export interface RefundEntry extends EntryBase {
  kind: 'REFUND';
  /** Empty when nobody knows the order. */
  storeId: string;
  /** Counts the refunds of the order from 1. */
  number: number;
  provider: string;
  providerPaymentId: string;
  amountMinor: number;
  currency: string;
  reason: string;
}

/** One change of one entry of a waitlist; orderId is the entry's id. */
export interface WaitlistNews extends EntryBase {
  kind: 'WAITLIST';
  storeId: string;
  userId: string;
  skuId: string;
  quantity: number;
  /** Version that the change made, and the state since then. */
  version: number;
  state: EntryState;
  /** The order that it was offered. */
  offerId?: string;
  /** With OFFERED, while the offer is kept. */
  offerExpiresAt?: Date;
}

/** What is to be told. */
export type OutboxEntry = OrderEntry | RefundEntry | WaitlistNews;

interface EntryRow {
  id: number;
  order_id: string;
  order_version: number;
  at: Date;
  store_id: string;
}

interface OrderEntryRow extends EntryRow {
  kind: 'ORDER';
  state: OrderState;
  user_id: string;
  lines: { sku_id: string; attendee_id: string; quantity: number }[];
  moved: { reason: string; released: number; held_seconds: number | null } | null;
}

interface RefundEntryRow extends EntryRow {
  kind: 'REFUND';
  refund: {
    provider: string;
    provider_payment_id: string;
    amount_minor: number;
    currency: string;
    reason: string;
  };
}

interface WaitlistNewsRow extends EntryRow {
  kind: 'WAITLIST';
  state: EntryState;
  user_id: string;
  entry: { sku_id: string; quantity: number; offer_id: string | null; expires_at: string | null };
}

type OutboxRow = OrderEntryRow | RefundEntryRow | WaitlistNewsRow;

/** The calls of the relay that tells the world. */
export function outboxCalls(pool: LedgerPool) {
  return {
    /**
     * The lowest unpublished entries, by id; of one order they come in the order they were made in. Nothing is reserved:
     * two relays get the same ones. A lower id may be committed later and is then the first of the next call.
     */
    async outboxTake(limit: number): Promise<OutboxEntry[]> {
      const rows = await pool.query<OutboxRow>(take, [limit]);
      return rows.map(toEntry);
    },

    /** Notes that entries are published; they are not taken again. Returns those that were not noted before. */
    async outboxMarkPublished(ids: readonly number[]): Promise<number[]> {
      if (ids.length === 0) return [];
      const [row] = await pool.query<{ outbox_mark_published: number[] }>(markPublished, [ids]);
      return row?.outbox_mark_published ?? [];
    },

    /** How many processes that relay entries to a stream are connected. */
    async outboxRelays(): Promise<number> {
      const [row] = await pool.query<{ outbox_relays: number }>(relays, []);
      return row?.outbox_relays ?? 0;
    },
  };
}

function toEntry(row: OutboxRow): OutboxEntry {
  const base = { id: row.id, orderId: row.order_id, storeId: row.store_id, at: row.at };
  if (row.kind === 'REFUND') {
    const { provider, provider_payment_id, amount_minor, currency, reason } = row.refund;
    const refund = { provider, providerPaymentId: provider_payment_id, amountMinor: amount_minor, currency, reason };
    return { ...base, kind: 'REFUND', number: row.order_version, ...refund };
  }
  if (row.kind === 'WAITLIST') {
    const { sku_id: skuId, quantity, offer_id: offerId, expires_at: expiresAt } = row.entry;
    return {
      ...{ ...base, kind: 'WAITLIST', userId: row.user_id, skuId, quantity },
      ...{ version: row.order_version, state: row.state },
      ...(offerId !== null && { offerId }),
      ...(expiresAt !== null && { offerExpiresAt: new Date(expiresAt) }),
    };
  }
  const lines = row.lines.map((line) => ({
    skuId: line.sku_id,
    quantity: line.quantity,
    attendeeId: line.attendee_id,
  }));
  const { user_id: userId, order_version: version, state } = row;
  const entry: OrderEntry = { ...base, kind: 'ORDER', userId, version, state, lines };
  if (row.moved) entry.moved = toMoved(row.moved);
  return entry;
}

function toMoved({ reason, released, held_seconds: heldSeconds }: NonNullable<OrderEntryRow['moved']>): MovedUnits {
  return { reason, released, ...(heldSeconds !== null && { heldSeconds }) };
}
