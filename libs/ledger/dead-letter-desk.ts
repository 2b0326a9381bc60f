import { retryConflicts } from '#libs/postgres/errors.js';
import { Fault } from '#libs/refusal/fault.js';
import { requestReused } from './alerts.js';
import { type ClaimToAdmit, claimsBatch } from './claims-batch.js';
import { functionCall, type LedgerPool } from './ledger-pool.js';
import { cutPage, isRowNumber, type PageQuery, readPage } from './page.js';
import { type Instant, type LedgerOrder, type OrderRow, toDate, toOrder } from './rows.js';

const ATTEMPTS = 5;
const LIST = 'dead letters';
const list = functionCall('dead_letters_list', 3);
const get = functionCall('dead_letter_get', 1);
const replay = functionCall('dead_letter_replay', 20);
const discard = functionCall('dead_letter_discard', 4);

/** A message that nobody could process, as an operator sees it. */
export interface KeptLetter {
  letterId: number;
  /** Absent when it does not say whose it is. */
  orderId?: string;
  subject: string;
  error: string;
  at: Date;
  /** Absent: nobody has seen to it. */
  resolved?: { at: Date; as: 'REPLAYED' | 'DISCARDED'; by: string; reason: string };
}

/** Which letter an operator sees to, and why. */
export interface LetterResolution {
  letterId: number;
  by: string;
  /** 1..500 characters. */
  reason: string;
  requestId: string;
}

type Bar = 'NOT_FOUND' | 'REPEATED' | 'RESOLVED' | 'REUSED';

interface LetterRow {
  id: number;
  order_id: string | null;
  subject: string;
  error: string;
  at: Instant;
  resolved_at: Instant | null;
  resolution: 'REPLAYED' | 'DISCARDED' | null;
  resolved_by: string | null;
  resolved_reason: string | null;
}

interface ReplayRow {
  outcome: Bar | 'REPLAYED' | 'NOT_DECIDED' | 'ORDER_STATE';
  detail: { outcome: string; sku_id: string; opens_at?: string } | null;
  letter_row: LetterRow | null;
  order_row: OrderRow | null;
}

/** The calls by which operators see to what nobody could process. */
export function deadLetterDeskCalls(pool: LedgerPool) {
  return {
    /** Letters without their messages, newest first. Fault INVALID_REQUEST for a page that cannot be. */
    async deadLettersList(
      { withResolved }: { withResolved: boolean },
      page: PageQuery,
    ): Promise<{ letters: KeptLetter[]; nextPageToken: string }> {
      const name = withResolved ? LIST : `${LIST} unresolved`;
      const { size, after } = readPage(name, page, [isRowNumber]);
      const found = await pool.query<LetterRow>(list, [withResolved, after?.[0] ?? null, size + 1]);
      const { rows, nextPageToken } = cutPage(name, found, { size, keyOf: (row) => [String(row.id)] });
      return { letters: rows.map(toLetter), nextPageToken };
    },

    /** One letter and the bytes of its message. Fault DEAD_LETTER_NOT_FOUND. */
    async deadLetterGet(letterId: number): Promise<KeptLetter & { payload: Uint8Array }> {
      const [row] = await pool.query<LetterRow & { payload: Buffer }>(get, [letterId]);
      if (!row) throw notFound(letterId);
      return { ...toLetter(row), payload: row.payload };
    },

    /**
     * Admits the claim of a letter anew, in one transaction, and lets it not wait for units: the order as it is now may be HELD, CONFIRMED or REFUSED.
     * The same request again gives the letter and the order as they are today.
     *
     * Errors: Fault DEAD_LETTER_NOT_FOUND, DEAD_LETTER_RESOLVED, REQUEST_ID_REUSED; ORDER_STATE when the order is not
     * refused as UNPROCESSABLE, or its sale has not opened; SKU_NOT_FOUND, CURRENCY_MIXED; INVALID_REQUEST when the claim
     * is not well formed; BUSY and UNAVAILABLE as every call, else the database's own: it still cannot be processed.
     */
    async deadLetterReplay(
      resolution: LetterResolution,
      claim: ClaimToAdmit,
    ): Promise<{ letter: KeptLetter; order: LedgerOrder }> {
      const values = [...resolutionValues(resolution), ...claimsBatch([{ ...claim, onSoldOut: 'REFUSE' }]).values];
      const [row] = await retryConflicts(() => pool.query<ReplayRow>(replay, values), ATTEMPTS);
      if (row === undefined) throw new Error('dead_letter_replay gave no row');
      const { outcome, letter_row: letter, order_row: order } = row;
      if (outcome === 'NOT_DECIDED' || outcome === 'ORDER_STATE') throw notReplayed(row, claim.orderId);
      if (outcome !== 'REPLAYED' && outcome !== 'REPEATED') throw barred(outcome, resolution, letter);
      if (!letter || !order) throw new Error(`the replay of dead letter ${resolution.letterId} left no order`);
      return { letter: toLetter(letter), order: toOrder(order) };
    },

    /**
     * Lays a letter aside; what it asked for stays as it is. The same request again gives the letter.
     * Errors: Fault DEAD_LETTER_NOT_FOUND, DEAD_LETTER_RESOLVED, REQUEST_ID_REUSED.
     */
    async deadLetterDiscard(resolution: LetterResolution): Promise<KeptLetter> {
      type Row = { outcome: Bar | 'DISCARDED'; letter_row: LetterRow | null };
      const values = resolutionValues(resolution);
      const [row] = await retryConflicts(() => pool.query<Row>(discard, values), ATTEMPTS);
      if (row?.letter_row && (row.outcome === 'DISCARDED' || row.outcome === 'REPEATED'))
        return toLetter(row.letter_row);
      if (!row || row.outcome === 'DISCARDED') throw new Error('dead_letter_discard gave no letter');
      throw barred(row.outcome, resolution, row.letter_row);
    },
  };
}

function resolutionValues({ letterId, by, reason, requestId }: LetterResolution): unknown[] {
  return [letterId, by, reason, requestId];
}

function barred(bar: Bar, { letterId, requestId }: LetterResolution, letter: LetterRow | null): Fault {
  if (bar === 'REUSED') return requestReused(requestId);
  if (bar === 'NOT_FOUND' || letter === null) return notFound(letterId);
  return new Fault('DEAD_LETTER_RESOLVED', `the letter is ${letter.resolution} already`, {
    metadata: {
      dead_letter_id: String(letterId),
      resolution: letter.resolution ?? '',
      resolved_by: letter.resolved_by ?? '',
    },
  });
}

function notFound(letterId: number): Fault {
  return new Fault('DEAD_LETTER_NOT_FOUND', 'there is no such dead letter', {
    metadata: { dead_letter_id: String(letterId) },
  });
}

/** Why a claim could not be decided by hand; nothing has changed. */
function notReplayed({ outcome, detail, order_row: order }: ReplayRow, orderId: string): Fault {
  if (outcome === 'ORDER_STATE') {
    const state = order?.state ?? '';
    return new Fault('ORDER_STATE', `the order is ${state} by now and is not admitted anew`, {
      metadata: { order_id: orderId, state },
    });
  }
  const metadata = { order_id: orderId, sku_id: detail?.sku_id ?? '' };
  if (detail?.outcome === 'SKU_NOT_FOUND') return new Fault('SKU_NOT_FOUND', 'there is no such sku', { metadata });
  if (detail?.outcome === 'CURRENCY_MIXED') {
    return new Fault('CURRENCY_MIXED', 'the lines have more than one currency', { metadata });
  }
  return new Fault('ORDER_STATE', 'the sale of the sku has not opened yet', {
    metadata: { ...metadata, ...(detail?.opens_at && { opens_at: toDate(detail.opens_at).toISOString() }) },
  });
}

function toLetter(row: LetterRow): KeptLetter {
  return {
    letterId: row.id,
    ...(row.order_id !== null && { orderId: row.order_id }),
    subject: row.subject,
    error: row.error,
    at: toDate(row.at),
    ...(row.resolved_at !== null &&
      row.resolution !== null && {
        resolved: {
          at: toDate(row.resolved_at),
          as: row.resolution,
          by: row.resolved_by ?? '',
          reason: row.resolved_reason ?? '',
        },
      }),
  };
}
