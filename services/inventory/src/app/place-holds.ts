import { shardOfStore } from '#libs/contracts/order-id.js';
import { Lane } from '#libs/lane/lane.js';
import type { Decision } from '#libs/ledger/decision.js';
import type { Ledger } from '#libs/ledger/ledger.js';
import type { SkuStock } from '#libs/ledger/rows.js';
import { Fault } from '#libs/refusal/fault.js';
import type { Logger } from '#libs/runtime/logger.js';
import type { Metrics } from '#libs/runtime/metrics.js';
import { LONGEST_ATTEMPT_MS } from '../domain/surely-first.js';
import { AdmitDirectly } from './admit-directly.js';
import { AwaitDecisions } from './await-decisions.js';
import { Deadlines } from './deadlines.js';
import { ParkShort } from './park-short.js';
import { type Claim, type Outcome, Placement } from './placement.js';
import { placementQueue } from './placement-queue.js';
import type { ClaimStream, ClaimsAge, Gate, GateVerdict } from './ports.js';
import { RefusalCount } from './refusal-count.js';
import { SettleClaims, skusOf } from './settle-claims.js';
import { settleKnown } from './sweep-journal.js';
import type { SyncGates } from './sync-gates.js';
import { UnmarkedTries } from './unmarked-tries.js';

/** Left for the way back, so that PENDING arrives before its caller gives up. */
const WAY_BACK_MS = 150;

export interface PlaceHoldsOptions {
  ledger: Ledger;
  /** The ledger's time, as measured from here. */
  ledgerNow(): Date;
  /** Absent: every order goes straight to the ledger. */
  gate?: Gate | undefined;
  syncGates?: SyncGates | undefined;
  /** Absent: what the gate lets in is admitted directly. */
  stream?: ClaimStream | undefined;
  /** Of the stream; absent without one. */
  claimsAge?: ClaimsAge | undefined;
  shards: number;
  directTurns: number;
  maxInFlight: number;
  metrics: Pick<Metrics, 'counter'>;
  logger: Logger;
}

/** Orders in flight, and among them those that wait; refusals answered so far. */
export interface Stats {
  inFlight: number;
  parked: number;
  undecided: number;
  refusals: { recorded: number; unrecorded: number };
}

/** What the edge says of a try. */
export interface Tried {
  /** Past them it has no effect. */
  readonly remainingMs: number;
  /** See Attempt. */
  readonly firstForMs?: number | undefined;
}

/**
 * Places orders. One try goes this way:
 *
 * 1. the gate lets it in, in a batch with whoever arrives meanwhile  (dies here: nobody was answered; the sweep drops the claim)
 * 2. the stream takes the batch                                      (dies here: the claim is consumed all the same)
 * 3. the ledger's decision is heard, or its row is read              (dies here: the retry finds the row)
 * 4. the gate learns it, the caller is answered
 *
 * Too few in the gate: parked until the ledger has spoken. Gate or stream away: straight to admission, by the same
 * order id, so that whatever happened to the lost call, it is one order.
 */
export class PlaceHolds {
  private readonly gateLanes: Lane<Placement, GateVerdict>[];
  private readonly streamLanes: Lane<Placement, void>[];
  private readonly promiseLanes: Lane<Placement, void>[];
  private readonly settleClaims: SettleClaims | undefined;
  private readonly parked: ParkShort;
  private readonly direct: AdmitDirectly;
  private readonly decisions: AwaitDecisions;
  private readonly deadlines = new Deadlines((placement) => this.timeIsUp(placement));
  private readonly unmarked: UnmarkedTries;
  private readonly refusals: RefusalCount;
  private inFlight = 0;

  constructor(private readonly options: PlaceHoldsOptions) {
    const { gate, stream, ledger, logger, shards } = options;
    const onDecided = (placement: Placement, decision: Decision): void => this.decided(placement, decision);
    this.direct = new AdmitDirectly({ ledger, turns: options.directTurns, onDecided, logger });
    this.decisions = new AwaitDecisions({
      ordersRead: (ids) => ledger.ordersRead(ids),
      onNews: (placement, news) => this.heardOf(placement, news),
      logger,
    });
    this.unmarked = new UnmarkedTries({
      unmarkedNote: (forMs) => ledger.unmarkedNote(forMs),
      ledgerNow: () => options.ledgerNow(),
      logger,
    });
    this.refusals = new RefusalCount(options.metrics);
    this.settleClaims = gate && new SettleClaims(gate, shards, logger);
    this.parked = new ParkShort({
      parkedRead: (claims) => ledger.parkedRead(claims),
      placeAgain: (placements, now, skus) => this.placeAgain(placements, now, skus),
      settleKnown: async (shard, skuId) => {
        if (gate) await settleKnown(gate, ledger, shard, skuId);
      },
      oldestMs: (shard) => (stream ? options.claimsAge?.oldestMs(shard) : 0),
      onDecided,
      admitDirectly: (placement) => this.direct.add(placement),
      onVerdict: (placement, verdict) => this.route(placement, verdict),
      logger,
    });
    this.gateLanes = gate ? this.laneEach('gate', (shard, batch) => gate.place(shard, batch.map(claimOf))) : [];
    this.streamLanes = stream
      ? this.laneEach('stream', async (shard, batch) => batch.map(noResult, await stream.store(shard, batch)))
      : [];
    this.promiseLanes = gate
      ? this.laneEach('promise', async (shard, batch) => batch.map(noResult, await gate.promise(shard, batch)))
      : [];
  }

  /** Answers exactly once; never rejects. */
  place(claim: Claim, { remainingMs, firstForMs }: Tried, respond: (outcome: Outcome) => void): void {
    if (this.inFlight >= this.options.maxInFlight) {
      respond({
        kind: 'FAULT',
        fault: new Fault('BUSY', 'too many orders in flight', { retryAfterMs: 100, metadata: { limit: 'IN_FLIGHT' } }),
      });
      return;
    }
    this.inFlight += 1;
    const leftMs = Math.min(remainingMs, LONGEST_ATTEMPT_MS);
    const placement = new Placement(
      {
        claim,
        shard: shardOfStore(claim.storeId, this.options.shards),
        notAfter: new Date(this.options.ledgerNow().getTime() + leftMs),
        answerByMs: performance.now() + Math.max(leftMs - WAY_BACK_MS, leftMs / 2),
        firstForMs,
      },
      (outcome) => {
        this.inFlight -= 1;
        respond(outcome);
      },
    );
    this.deadlines.watch(placement);
    if (firstForMs === undefined) this.unmarked.pass(() => this.enter(placement));
    else this.enter(placement);
  }

  /** News from the order service. */
  heard(decision: Decision): void {
    this.decisions.heard(decision);
  }

  awaits(orderId: string): boolean {
    return this.decisions.awaits(orderId);
  }

  /** Units of these skus came back: who waits for one of them has a turn at once. */
  freed(skuIds: readonly string[]): void {
    this.parked.stir(skuIds);
  }

  stats(): Stats {
    return {
      inFlight: this.inFlight,
      parked: this.parked.size,
      undecided: this.decisions.size,
      refusals: this.refusals.stats,
    };
  }

  async drain(): Promise<void> {
    await Promise.all([...this.gateLanes, ...this.streamLanes, ...this.promiseLanes].map((lane) => lane.drain()));
    await this.direct.drain();
    await this.settleClaims?.drain();
    this.decisions.close();
    this.deadlines.close();
    this.unmarked.close();
  }

  private enter(placement: Placement): void {
    if (placement.answered) return;
    const lane = this.gateLanes[placement.shard];
    const behind = this.parked.behind(placement);
    if (!lane) this.direct.add(placement);
    else if (behind !== undefined) this.parked.park(placement, behind);
    else {
      lane.add(placement).then(
        (verdict) => this.route(placement, verdict),
        (error: unknown) => this.pastTheGate(placement, error),
      );
    }
  }

  private route(placement: Placement, verdict: GateVerdict): void {
    if (placement.answered) return; // its caller is gone; what it left in the journal, the sweep drops
    if (!('skuId' in verdict)) placement.leftTrace = true;
    switch (verdict.code) {
      case 'IN':
        placement.letIn = true;
        this.carry(placement);
        break;
      case 'UNDECIDED':
        placement.joined = true;
        this.decisions.wait(placement);
        break;
      case 'REPUBLISH':
        placement.joined = true;
        this.carry(placement);
        break;
      default:
        this.parked.park(placement, verdict.skuId);
    }
  }

  private pastTheGate(placement: Placement, error: unknown): void {
    if (error instanceof Fault && error.reason !== 'UNAVAILABLE') placement.fail(error);
    else this.direct.add(placement);
  }

  private carry(placement: Placement): void {
    const lane = this.streamLanes[placement.shard];
    if (!lane) {
      this.direct.add(placement);
      return;
    }
    this.decisions.wait(placement);
    lane.add(placement).then(
      () => {
        placement.stored = true;
      },
      () => this.direct.add(placement),
    );
  }

  private async placeAgain(placements: Placement[], now: Date, skus: SkuStock[]): Promise<GateVerdict[]> {
    const { gate, syncGates } = this.options;
    const shard = placements[0]?.shard;
    if (!gate || !syncGates || shard === undefined) throw new Error('parked without a gate');
    await syncGates.set(now, skus);
    return gate.place(shard, placements.map(claimOf));
  }

  private heardOf(placement: Placement, news: Decision): void {
    if (placement.isAnsweredBy(news)) this.decided(placement, news);
    else this.direct.add(placement);
  }

  private decided(placement: Placement, decision: Decision): void {
    if (decision.kind === 'REFUSED' && !placement.answered) this.refusals.add(decision);
    placement.decided(decision);
    this.decisions.forget(placement);
    if (!placement.letIn) return;
    placement.letIn = false;
    this.settleClaims?.add(placement, decision);
    this.parked.stir(skusOf(placement.claim.lines));
  }

  /** The caller must be answered now: PENDING if the stream has the claim and the journal keeps the promise, else unknown. */
  private timeIsUp(placement: Placement): void {
    this.decisions.forget(placement);
    const lane = placement.stored ? this.promiseLanes[placement.shard] : undefined;
    const unknown = (): void => placement.fail(new Fault('UNAVAILABLE', 'not decided in time', { retryAfterMs: 200 }));
    if (lane) lane.add(placement).then(() => placement.answer({ kind: 'PENDING' }), unknown);
    else unknown();
  }

  private laneEach<Result>(
    name: string,
    run: (shard: number, batch: Placement[]) => Promise<Result[]>,
  ): Lane<Placement, Result>[] {
    return Array.from(
      { length: this.options.shards },
      (_, shard) =>
        new Lane<Placement, Result>({
          name: `${name}-${shard}`,
          run: (batch) => run(shard, batch),
          ...placementQueue,
        }),
    );
  }
}

function claimOf(placement: Placement): Claim {
  return placement.claim;
}

function noResult(): void {}
