import { type Instant, toDate } from './rows.js';

/**
 * Where an entry of a waitlist is. WAITING; OFFERED: its order is held for it; PROMOTED: its order is confirmed;
 * EXPIRED: the offer was not taken in time; DECLINED: the offer was cancelled; LEFT: its user left; ENDED: the sale did.
 */
export type EntryState = 'WAITING' | 'OFFERED' | 'PROMOTED' | 'EXPIRED' | 'DECLINED' | 'LEFT' | 'ENDED';

/** What a claim is told of an entry. */
export interface EntryWord {
  entryId: string;
  skuId: string;
  state: EntryState;
  /** While it waits. */
  peopleAhead?: number;
  /** Of the offer. */
  orderId?: string;
}

/** An entry as the ledger has it. */
export interface WaitlistEntry extends EntryWord {
  storeId: string;
  userId: string;
  requestId: string;
  quantity: number;
  /** Rises by one with each change of state. */
  version: number;
  /** Why it is passed over though it keeps its place. */
  barredReason?: 'LIMIT_REACHED' | 'MAX_PER_ORDER' | 'NOT_ENOUGH';
  joinedAt: Date;
  /** While it is OFFERED. */
  offerExpiresAt?: Date;
  /** About how long it will wait, judged by how many went before it since it joined; absent: nobody did yet. */
  estimatedSeconds?: number;
}

/** What the function entry_word makes. */
export interface EntryWordRow {
  entry_id: string;
  sku_id: string;
  state: EntryState;
  people_ahead?: number;
  order_id?: string;
}

/** A row of the view waitlist_rows. */
export interface EntryRow {
  entry_id: string;
  store_id: string;
  sku_id: string;
  user_id: string;
  request_id: string;
  quantity: number;
  place: number;
  joined_behind: number;
  state: EntryState;
  version: number;
  barred: NonNullable<WaitlistEntry['barredReason']> | null;
  order_id: string | null;
  joined_at: Instant;
  people_ahead: number | null;
  expires_at: Instant | null;
}

/** What entry_word made, as the word. */
export function toEntryWord(row: EntryWordRow): EntryWord {
  return {
    entryId: row.entry_id,
    skuId: row.sku_id,
    state: row.state,
    ...(row.people_ahead !== undefined && { peopleAhead: row.people_ahead }),
    ...(row.order_id !== undefined && { orderId: row.order_id }),
  };
}

/** A row of waitlist_rows as the entry; `now` by the ledger's clock. */
export function toWaitlistEntry(row: EntryRow, now: Date): WaitlistEntry {
  const joinedAt = toDate(row.joined_at);
  const ahead = row.people_ahead;
  const served = row.joined_behind - (ahead ?? 0);
  return {
    ...toEntryWord({ entry_id: row.entry_id, sku_id: row.sku_id, state: row.state }),
    storeId: row.store_id,
    userId: row.user_id,
    requestId: row.request_id,
    quantity: row.quantity,
    version: row.version,
    joinedAt,
    ...(ahead !== null && { peopleAhead: ahead }),
    ...(ahead !== null &&
      served > 0 && {
        estimatedSeconds: Math.ceil((((now.getTime() - joinedAt.getTime()) / served) * (ahead + 1)) / 1_000),
      }),
    ...(row.order_id !== null && { orderId: row.order_id }),
    ...(row.barred !== null && { barredReason: row.barred }),
    ...(row.state === 'OFFERED' && row.expires_at !== null && { offerExpiresAt: toDate(row.expires_at) }),
  };
}
