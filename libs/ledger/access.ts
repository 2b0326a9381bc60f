import { functionCall, type LedgerPool } from './ledger-pool.js';

const record = functionCall('access_record', 2);
const prune = functionCall('access_prune', 2);

/** One reservation that a gateway answered. */
export interface AccessRecord {
  /** When it came. */
  at: Date;
  /** After how many ms it was answered. */
  tookMs: number;
  storeId: string;
  userId: string;
  skuIds: readonly string[];
  requestId: string;
  /** The id that its order, or its entry of a waitlist, has if there is one. */
  orderId: string;
  /** The state of the order, PENDING, QUEUED, WAITING, or the reason of the refusal or fault. */
  answer: string;
  /** The same was answered before. */
  isReplay: boolean;
  /** For how many of its kind it stands, 1 or more. */
  weight: number;
}

/** The calls that keep what was answered, and let it go. */
export function accessCalls(pool: LedgerPool) {
  return {
    /** Keeps records of one gateway, all or none. They are kept twice when it is called twice. */
    async accessRecord(instance: string, records: readonly AccessRecord[]): Promise<void> {
      await pool.query(record, [instance, JSON.stringify(records.map(toRow))]);
    },

    /** Deletes records that are older than `keepDays`, at most `atMost`. Returns how many. */
    async accessPrune(keepDays: number, atMost: number): Promise<number> {
      const [row] = await pool.query<{ access_prune: number }>(prune, [keepDays, atMost]);
      return row?.access_prune ?? 0;
    },
  };
}

function toRow(record: AccessRecord): object {
  return {
    at: record.at,
    took_ms: record.tookMs,
    store_id: record.storeId,
    user_id: record.userId,
    sku_ids: record.skuIds,
    request_id: record.requestId,
    order_id: record.orderId,
    answer: record.answer,
    is_replay: record.isReplay,
    weight: record.weight,
  };
}
