import type { SkuStock } from '#libs/ledger/rows.js';
import type { Claim } from './placement.js';

/** What the gate says to an order. `skuId` names the sku that it is about. */
export type GateVerdict =
  | { readonly code: 'IN' | 'UNDECIDED' | 'REPUBLISH' }
  | { readonly code: 'SHORT' | 'NOT_LOADED' | 'CLOSED'; readonly skuId: string };

/** A claim of one sku that leaves the journal. */
export interface Settlement {
  readonly orderId: string;
  readonly skuIds: readonly string[];
  /** Its units were not taken: the gate may let them in again. */
  readonly again: boolean;
  /** Only if nobody touched the claim since: the stamp that was read. */
  readonly stamp?: string;
}

/** An undecided claim in the journal of one sku. */
export interface JournalEntry {
  readonly orderId: string;
  readonly skuId: string;
  readonly stamp: string;
  readonly ageMs: number;
}

/** The gates and journals of one Redis; each call is one script on one shard. Rejects when Redis is away: then the outcome is unknown. */
export interface Gate {
  place(shard: number, claims: readonly Claim[]): Promise<GateVerdict[]>;
  sync(shard: number, now: Date, skus: readonly SkuStock[]): Promise<number>;
  settle(shard: number, settlements: readonly Settlement[]): Promise<number>;
  promise(shard: number, claims: readonly { claim: Claim; notAfter: Date }[]): Promise<void>;
  promised(shard: number, orderId: string): Promise<Claim | undefined>;
  promises(shard: number, leastAgeMs: number): Promise<Claim[]>;
  openSkus(shard: number): Promise<string[]>;
  undecided(shard: number, skuId: string, leastAgeMs: number): Promise<JournalEntry[]>;
  /** Skus used since the last call; each is named to one caller. */
  takeUsedSkus(shard: number): Promise<string[]>;
  /** Removes gates whose sale is over and whose journal is empty. */
  close(shard: number): Promise<number>;
}

/** Which gates there are. Rejects when Redis is away. */
export interface LoadedGates {
  /** Those of these skus whose gate knows them. */
  loaded(shard: number, skuIds: readonly string[]): Promise<string[]>;
}

/**
 * Remembers whether calls to something lead anywhere. It opens when most of them failed of late, or when somebody knows
 * better; then a probe of its own, and no customer, sees now and then whether they do again.
 */
export interface Breaker {
  /** Whether calls may be made. */
  readonly closed: boolean;
  readonly state: 'CLOSED' | 'OPEN' | 'HALF_OPEN';
  /** Since when it is not closed, in milliseconds of `performance.now()`. */
  readonly openSinceMs: number | undefined;
  /** Makes a call and remembers how it ended. Rejects as the call does, and with Fault UNAVAILABLE while it is not closed. */
  watch<Result>(call: () => Promise<Result>): Promise<Result>;
  open(why: Error): void;
  /** Called each time it has closed. */
  onClosed(listener: () => void): void;
  /** No probe is made any more. */
  close(): void;
}

/** What has a breaker. */
export type Callee = 'gate' | 'stream';

/** Makes the breaker of a callee; `probe` resolves when calls lead somewhere again. */
export type OpenBreaker = (callee: Callee, probe: () => Promise<unknown>) => Breaker;

/** How old claims are that nobody has decided yet. */
export interface ClaimsAge {
  /** Milliseconds since the oldest message of the shard's stream was stored, at most; 0 or more when it may be empty. Undefined: not known. */
  oldestMs(shard: number): number | undefined;
}

/** Carries let-in claims to the order service. */
export interface ClaimStream {
  /** Resolves when the stream has them for certain; rejects when that is unknown or refused. */
  store(shard: number, claims: readonly { claim: Claim; notAfter: Date }[]): Promise<void>;
  /** Resolves when the shard's stream took a message without claims and somebody who decides was heard after that. */
  probe(shard: number): Promise<void>;
}
