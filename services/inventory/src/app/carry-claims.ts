import type { Decision } from '#libs/ledger/decision.js';
import type { Ledger } from '#libs/ledger/ledger.js';
import type { Logger } from '#libs/runtime/logger.js';
import { type WayOn, wayOn } from '../domain/path.js';
import { AwaitDecisions } from './await-decisions.js';
import { NoticeStalls } from './notice-stalls.js';
import type { PathCount } from './path-count.js';
import { notGoneRound, type Placement } from './placement.js';
import type { Breaker, ClaimStream, OpenBreaker } from './ports.js';
import { StoreClaims } from './store-claims.js';
import type { Switches } from './switches.js';

export interface CarryClaimsOptions {
  ledger: Pick<Ledger, 'decisionsRead'>;
  switches: Pick<Switches, 'orderPath'>;
  /** Absent: everything is admitted directly. */
  stream: ClaimStream | undefined;
  openBreaker: OpenBreaker;
  shards: number;
  admitDirectly(placement: Placement): void;
  onDecided(placement: Placement, decision: Decision): void;
  paths: PathCount;
  logger: Logger;
}

/**
 * Carries what the gate let in to the ledger, and brings its word back: by the stream and whoever consumes it, or by
 * direct admission when the stream does not take the claim, when nobody decides what it has, or when it is switched off.
 */
export class CarryClaims {
  private readonly stream: StoreClaims | undefined;
  private readonly decisions: AwaitDecisions;
  private readonly stalls: NoticeStalls;

  constructor(private readonly options: CarryClaimsOptions) {
    const { ledger, stream, openBreaker, shards, logger } = options;
    this.stream = stream && new StoreClaims({ stream, openBreaker, shards });
    this.stalls = new NoticeStalls({
      onStalled: (shard, placements) => this.stalled(shard, placements),
      onOvertaken: (placement) => this.pastStream(placement),
    });
    this.decisions = new AwaitDecisions({
      decisionsRead: (ids) => ledger.decisionsRead(ids),
      onUnknown: (askedAtMs) => this.stalls.unknown(askedAtMs),
      onNews: (placement, news) => this.heardOf(placement, news),
      logger,
    });
  }

  /** Of the stream, if there is one. */
  get breaker(): Breaker | undefined {
    return this.stream?.breaker;
  }

  /** How many wait for a decision. */
  get size(): number {
    return this.decisions.size;
  }

  /** Which way the next claim is carried. */
  wayOn(streamAnswers = this.stream?.breaker.closed ?? false): WayOn {
    return this.stream ? wayOn(this.options.switches.orderPath, streamAnswers) : 'DIRECT';
  }

  carry(placement: Placement): void {
    if (!this.stream || this.wayOn() !== 'STREAM') {
      this.pastStream(placement);
      return;
    }
    this.decisions.wait(placement);
    this.stream.store(placement).then(
      () => {
        this.options.paths.add('STREAM');
        this.stalls.watch(placement);
      },
      () => this.pastStream(placement),
    );
  }

  /** Another try of the same order is being carried: this one waits for the same word. */
  join(placement: Placement): void {
    this.decisions.wait(placement);
    this.stalls.watch(placement);
  }

  /** News from whoever consumes the stream. */
  heard(decision: Decision): void {
    this.decisions.heard(decision);
  }

  /** Whoever consumes the stream of this shard gave a sign of life. */
  heardFrom(shard: number): void {
    this.stalls.heard(shard);
  }

  awaits(orderId: string): boolean {
    return this.decisions.awaits(orderId);
  }

  /** The ledger's word on it is known. */
  decided(placement: Placement): void {
    this.decisions.forget(placement);
    this.stalls.decided(placement);
  }

  /** Its caller does not wait any more. */
  forget(placement: Placement): void {
    this.decisions.forget(placement);
    this.stalls.forget(placement);
  }

  async drain(): Promise<void> {
    await this.stream?.drain();
  }

  close(): void {
    this.decisions.close();
    this.stalls.close();
  }

  private heardOf(placement: Placement, news: Decision): void {
    if (placement.isAnsweredBy(news)) this.options.onDecided(placement, news);
    else this.options.admitDirectly(placement);
  }

  private stalled(shard: number, placements: Placement[]): void {
    if (this.wayOn(false) === 'NOWHERE') return; // the stream has their claims, and whoever comes back decides them
    this.stream?.stalled(shard);
    for (const placement of placements) this.pastStream(placement);
  }

  private pastStream(placement: Placement): void {
    if (placement.answered) return;
    if (this.wayOn(false) === 'NOWHERE') {
      this.forget(placement);
      placement.fail(notGoneRound('stream'));
    } else {
      this.options.paths.add('DIRECT');
      this.options.admitDirectly(placement);
    }
  }
}
