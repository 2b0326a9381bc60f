import { canonicalLines, linesHash, type OrderLine } from '#libs/contracts/order-lines.js';
import { type Decision, decisionOf } from './decision.js';
import { functionCall, type LedgerPool } from './ledger-pool.js';
import { type OrderRow, type SkuRow, type SkuStock, toOrder, toSkuStock } from './rows.js';

const read = functionCall('parked_read', 4);

/** What is asked for those who wait at a gate. */
export interface ParkedQuery {
  /** Claims that may have an order already. */
  claims: readonly { orderId: string; lines: readonly OrderLine[] }[];
  skuIds: readonly string[];
  attendees: readonly { skuId: string; attendeeId: string }[];
}

/** One snapshot of the ledger. What is unknown is left out. */
export interface ParkedAnswer {
  /** The ledger's clock at the time of the snapshot. */
  now: Date;
  skus: SkuStock[];
  /**
   * In the order of the claims, undefined where the id is not known: the order, its refusal, or REQUEST_ID_REUSED when it
   * has other lines. Two claims of one id may differ.
   */
  decisions: (Decision | undefined)[];
  /** Units in live orders; pairs without any are left out. */
  units: { skuId: string; attendeeId: string; units: number }[];
}

interface ParkedRow {
  now: Date;
  skus: SkuRow[];
  orders: (OrderRow & { lines_hash: string })[];
  units: { sku_id: string; attendee_id: string; units: number }[];
}

/** The reads by which a gate is set and those who wait before it are answered. */
export function parkedCalls(pool: LedgerPool) {
  async function parkedRead({ claims, skuIds, attendees }: ParkedQuery): Promise<ParkedAnswer> {
    const [row] = await pool.query<ParkedRow>(read, [
      skuIds,
      claims.map((claim) => claim.orderId),
      attendees.map((pair) => pair.skuId),
      attendees.map((pair) => pair.attendeeId),
    ]);
    if (!row) throw new Error('parked_read gave no row');
    const known = new Map(row.orders.map((order) => [order.order_id, order]));
    return {
      now: row.now,
      skus: row.skus.map(toSkuStock),
      decisions: claims.map((claim) => {
        const order = known.get(claim.orderId);
        return order && sameOrReused(claim, order);
      }),
      units: row.units.map((unit) => ({ skuId: unit.sku_id, attendeeId: unit.attendee_id, units: unit.units })),
    };
  }

  return {
    /** Everything that a turn of those who wait needs, in one round trip and of one instant. */
    parkedRead,
    /** Where the units of some skus are; unknown skus are left out. */
    async stockRead(skuIds: readonly string[]): Promise<{ now: Date; skus: SkuStock[] }> {
      const { now, skus } = await parkedRead({ claims: [], skuIds, attendees: [] });
      return { now, skus };
    },
  };
}

function sameOrReused(claim: ParkedQuery['claims'][number], row: ParkedRow['orders'][number]): Decision {
  const hash = `\\x${linesHash(canonicalLines(claim.lines)).toString('hex')}`;
  if (hash === row.lines_hash) return decisionOf(toOrder(row));
  return { orderId: claim.orderId, kind: 'FAULT', reason: 'REQUEST_ID_REUSED', metadata: {} };
}
