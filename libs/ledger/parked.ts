import { canonicalLines, linesHash, type OrderLine } from '#libs/contracts/order-lines.js';
import type { BookedBy } from './claims-batch.js';
import { type Decision, decisionOf } from './decision.js';
import { functionCall, type LedgerPool } from './ledger-pool.js';
import { noTo, type ParkedSkuRow, type ParkedUnits, wouldWait } from './parked-no.js';
import { type OrderRow, type SkuStock, toOrder, toSkuStock } from './rows.js';
import type { OnSoldOut } from './waitlist-terms.js';

const read = functionCall('parked_read', 5);
const note = functionCall('unmarked_note', 1);

/** An order that waits at a gate. */
export interface ParkedClaim {
  orderId: string;
  storeId: string;
  userId: string;
  lines: readonly OrderLine[];
  /** What becomes of it when too few units are free; absent: what the sku says. */
  onSoldOut?: OnSoldOut;
  /** Staff who book it; with a forceReason nobody has too many. */
  staff?: BookedBy;
}

/** What the ledger has to say to one claim; neither, when it would have the units. */
export interface ParkedWord {
  /** Its order, its refusal, or REQUEST_ID_REUSED when the id is known with other lines. Two claims of one id may differ. */
  known?: Decision;
  /** Of an unknown id: the no that admission would say now. Its id may be under way to admission, and then be taken. */
  no?: Decision;
  /**
   * Of an unknown id, for which too few are free: it would wait. Of an id that has or had a place in a waitlist: what became
   * of it. Either is for admission to say.
   */
  waits?: true;
}

/** One snapshot of the ledger. */
export interface ParkedAnswer {
  /** The ledger's clock at the time of the snapshot. */
  now: Date;
  /** Every sku that the claims name. Unknown skus are left out. */
  skus: SkuStock[];
  /** In the order of the claims. */
  words: ParkedWord[];
  /** Until when tries may have begun that no mark knows of. Absent: there were none. */
  unmarkedUntil?: Date;
}

interface ParkedRow {
  now: Date;
  skus: ParkedSkuRow[];
  orders: ((OrderRow & { lines_hash: string; is_entry?: never }) | { order_id: string; is_entry: true })[];
  units: (ParkedUnits & { place: number })[];
  unmarked_until: Date | null;
}

/** The reads by which a gate is set and those who wait before it are answered. */
export function parkedCalls(pool: LedgerPool) {
  async function readRow(skuIds: readonly string[], question: Question): Promise<ParkedRow> {
    const { orderIds, pairSkus, pairAttendees, pairUsers } = question;
    const [row] = await pool.query<ParkedRow>(read, [skuIds, orderIds, pairSkus, pairAttendees, pairUsers]);
    if (!row) throw new Error('parked_read gave no row');
    return row;
  }

  return {
    /** Everything that a turn of those who wait needs, in one round trip and of one instant. */
    async parkedRead(claims: readonly ParkedClaim[]): Promise<ParkedAnswer> {
      const lines = claims.map((claim) => canonicalLines(claim.lines));
      const question = questionOf(claims, lines);
      const row = await readRow([...new Set(question.pairSkus)], question);
      return {
        now: row.now,
        skus: row.skus.map(toSkuStock),
        words: wordsOf(claims, lines, row),
        ...(row.unmarked_until && { unmarkedUntil: row.unmarked_until }),
      };
    },

    /** Where the units of some skus are; unknown skus are left out. */
    async stockRead(skuIds: readonly string[]): Promise<{ now: Date; skus: SkuStock[] }> {
      const { now, skus } = await readRow(skuIds, questionOf([], []));
      return { now, skus: skus.map(toSkuStock) };
    },

    /**
     * Notes that tries may begin within the next `forMs` that no mark knows of. Resolves, before the first of them may
     * have any effect, with the instant until which that is noted.
     */
    async unmarkedNote(forMs: number): Promise<Date> {
      const [row] = await pool.query<{ until: Date }>(note, [forMs]);
      if (!row) throw new Error('unmarked_note gave no row');
      return row.until;
    },
  };
}

interface Question {
  orderIds: string[];
  pairSkus: string[];
  pairAttendees: string[];
  pairUsers: string[];
}

function questionOf(claims: readonly ParkedClaim[], lines: readonly OrderLine[][]): Question {
  const question: Question = { orderIds: [], pairSkus: [], pairAttendees: [], pairUsers: [] };
  for (const [i, { orderId, userId }] of claims.entries()) {
    question.orderIds.push(orderId);
    for (const { skuId, attendeeId } of lines[i] ?? []) {
      question.pairSkus.push(skuId);
      question.pairAttendees.push(attendeeId);
      question.pairUsers.push(userId);
    }
  }
  return question;
}

function wordsOf(claims: readonly ParkedClaim[], lines: readonly OrderLine[][], row: ParkedRow): ParkedWord[] {
  const orders = new Map(row.orders.map((order) => [order.order_id, order]));
  const skus = new Map(row.skus.map((sku) => [sku.sku_id, sku]));
  const units = new Map(row.units.map((found) => [found.place, found]));
  let place = 0;
  return claims.map((claim, i) => {
    const own = lines[i] ?? [];
    const order = orders.get(claim.orderId);
    const unitsOfLines = own.map(() => {
      place += 1;
      return units.get(place);
    });
    if (order?.is_entry) return { waits: true };
    if (order) return { known: sameOrReused(claim.orderId, own, order) };
    const no = noTo(claim, own, { skus, units: unitsOfLines });
    if (no?.kind === 'REFUSED' && wouldWait(claim, own, { no, skus })) return { waits: true };
    return no ? { no } : {};
  });
}

function sameOrReused(
  orderId: string,
  lines: readonly OrderLine[],
  row: Exclude<ParkedRow['orders'][number], { is_entry: true }>,
): Decision {
  if (`\\x${linesHash(lines).toString('hex')}` === row.lines_hash) return decisionOf(toOrder(row));
  return { orderId, kind: 'FAULT', reason: 'REQUEST_ID_REUSED', metadata: {} };
}
