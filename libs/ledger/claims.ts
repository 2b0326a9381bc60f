import type { OrderLine } from '#libs/contracts/order-lines.js';
import { retryConflicts } from '#libs/postgres/errors.js';
import { type ClaimsBatch, type ClaimToAdmit, claimsBatch } from './claims-batch.js';
import type { ClaimFaultReason, Decision } from './decision.js';
import { functionCall, type LedgerPool } from './ledger-pool.js';
import { type LedgerOrder, type OrderRow, type OrderState, type RefusalRow, toOrder, toRefusal } from './rows.js';
import { type EntryWordRow, toEntryWord } from './waitlist-rows.js';

const ATTEMPTS = 5;
const admit = functionCall('claims_admit', 16);
const read = functionCall('orders_read', 1);
interface AdmittedRow {
  outcome: 'ORDER' | 'REFUSED' | 'WAITLISTED' | ClaimFaultReason;
  /** A refusal, or of an entry that waits or was made the offer that the order is: the entry. */
  detail: RefusalRow | EntryWordRow | null;
  recorded: boolean;
  state: Exclude<OrderState, 'REFUSED'>;
  version: number;
  amount_minor: number;
  currency: string;
  created_at: Date;
  expires_at: Date | null;
  unit_prices: string;
  channel: LedgerOrder['channel'];
}

/** The calls by which claims become orders. */
export function claimCalls(pool: LedgerPool) {
  return {
    /**
     * Decides a batch of claims in one transaction, first come, first served; the decisions come in the order of the
     * claims. At most a few hundred: every sku of the batch is locked meanwhile.
     *
     * Errors: Fault INVALID_REQUEST when a claim is not well formed (nothing of the batch happened); BUSY when the
     * database had conflicts or locks for too long (nothing happened); UNAVAILABLE (it may have happened).
     */
    async claimsAdmit(claims: readonly ClaimToAdmit[]): Promise<Decision[]> {
      if (claims.length === 0) return [];
      const batch = claimsBatch(claims);
      const rows = await retryConflicts(() => pool.query<AdmittedRow>(admit, batch.values), ATTEMPTS);
      return asToday(decisions(claims, batch, rows));
    },
  };

  /** An order that was changed since it was born may have other lines than its claim; one that is CONFIRMED has its code. */
  async function asToday(decided: Decision[]): Promise<Decision[]> {
    const changed = decided.flatMap((one) =>
      one.kind === 'ORDER' && one.order.version > 1 ? [one.order.orderId] : [],
    );
    if (changed.length === 0) return decided;
    const orders = new Map((await pool.query<OrderRow>(read, [changed])).map((row) => [row.order_id, toOrder(row)]));
    return decided.map((one) =>
      one.kind === 'ORDER' ? { ...one, order: orders.get(one.order.orderId) ?? one.order } : one,
    );
  }
}

function decisions(claims: readonly ClaimToAdmit[], batch: ClaimsBatch, rows: readonly AdmittedRow[]): Decision[] {
  if (rows.length !== claims.length) throw new Error(`${rows.length} decisions for ${claims.length} claims`);
  return rows.map((row, index) => {
    const claim = claims[index];
    const lines = batch.lines[index];
    if (!claim || !lines) throw new RangeError(`no claim ${index}`);
    return decision(claim, lines, row);
  });
}

function decision(claim: ClaimToAdmit, lines: readonly OrderLine[], row: AdmittedRow): Decision {
  const { orderId } = claim;
  if (row.outcome === 'ORDER') return { orderId, kind: 'ORDER', order: order(claim, lines, row) };
  if (row.outcome === 'WAITLISTED' && row.detail && 'entry_id' in row.detail) {
    return { orderId, kind: 'WAITLISTED', entry: toEntryWord(row.detail) };
  }
  if (row.outcome === 'WAITLISTED') throw new Error(`order ${orderId} waits without an entry`);
  if (row.outcome === 'REFUSED' && row.detail && 'reason' in row.detail) {
    return { orderId, kind: 'REFUSED', refusal: toRefusal(row.detail), recorded: row.recorded };
  }
  if (row.outcome === 'REFUSED') throw new Error(`order ${orderId} is refused without a reason`);
  const isAboutSku = row.outcome === 'SKU_NOT_FOUND' || row.outcome === 'CURRENCY_MIXED';
  const metadata: Record<string, string> = isAboutSku && row.detail ? { sku_id: row.detail.sku_id } : {};
  return { orderId, kind: 'FAULT', reason: row.outcome, metadata };
}

/** The order of a claim, as it was born: its lines are the claim's own, or it would have another hash. */
function order(claim: ClaimToAdmit, lines: readonly OrderLine[], row: AdmittedRow) {
  const prices = row.unit_prices.split(',');
  const offer = row.detail && 'entry_id' in row.detail ? row.detail.order_id : undefined;
  return {
    orderId: offer ?? claim.orderId,
    storeId: claim.storeId,
    userId: claim.userId,
    requestId: claim.requestId,
    state: row.state,
    version: row.version,
    lines: lines.map((line, index) => ({ ...line, unitPriceMinor: Number(prices[index]) })),
    amountMinor: row.amount_minor,
    currency: row.currency,
    createdAt: row.created_at,
    channel: row.channel,
    ...(row.expires_at && { expiresAt: row.expires_at }),
  };
}
