import type { Ledger } from '#libs/ledger/ledger.js';
import type { GateReading } from '../../domain/gate-judgement.js';
import type { Gate } from '../ports.js';
import type { SyncGates } from '../sync-gates.js';

/** What a look needs of the ledger, on connections of its own that may take their time. */
export type ReconcileLedger = Pick<
  Ledger,
  | 'reconcileBegin'
  | 'reconcileLook'
  | 'reconcileOrders'
  | 'reconcileOrphans'
  | 'reconcileEnded'
  | 'reconcileNote'
  | 'reconcileFinish'
  | 'skusAfter'
  | 'skuProve'
  | 'outboxLag'
  | 'planOfRequest'
  | 'planGet'
  | 'plansList'
  | 'planApply'
  | 'stockRead'
  | 'decisionsRead'
  | 'claimsAdmit'
>;

/** Looks into gates and mends what is wrong with them. Rejects when Redis is away. */
export interface GateInspection {
  /** The gates of some skus with what their journals add up to, in the order of the skus. */
  read(shard: number, skuIds: readonly string[]): Promise<GateReading[]>;
  /** Drops gates that cannot be read, and puts right what a sync would not. `version` is the stock's. */
  mend(shard: number, skus: readonly { skuId: string; version: number }[]): Promise<void>;
  /** Drops keys of a shard that are not what they must be, and names them. */
  dropUnreadable(shard: number): Promise<string[]>;
}

/** What a look needs of Redis. */
export interface GateParts {
  readonly gate: Pick<Gate, 'undecided' | 'settle' | 'promises'>;
  readonly inspection: GateInspection;
  readonly syncGates: Pick<SyncGates, 'syncSkus'>;
  readonly shards: number;
}

/** What streams have. Rejects while NATS is away. */
export interface StreamFigures {
  /** Claims' messages that a shard's stream has, and when it stored the oldest. */
  claims(shard: number): Promise<{ messages: number; oldestAt?: Date }>;
}
