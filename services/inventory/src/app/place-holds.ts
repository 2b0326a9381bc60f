import { shardOfStore } from '#libs/contracts/order-id.js';
import type { Decision } from '#libs/ledger/decision.js';
import type { Ledger } from '#libs/ledger/ledger.js';
import { Fault } from '#libs/refusal/fault.js';
import type { Logger } from '#libs/runtime/logger.js';
import type { Metrics } from '#libs/runtime/metrics.js';
import { type StockSetting, type WayIn, wayIn } from '../domain/path.js';
import { LONGEST_ATTEMPT_MS } from '../domain/surely-first.js';
import { AdmitDirectly } from './admit-directly.js';
import { CarryClaims } from './carry-claims.js';
import { CatchUpGates } from './catch-up-gates.js';
import { Deadlines } from './deadlines.js';
import { ParkShort } from './park-short.js';
import { PassGate } from './pass-gate.js';
import { PathCount } from './path-count.js';
import { type Claim, notGoneRound, type Outcome, Placement } from './placement.js';
import type { Breaker, Callee, ClaimStream, ClaimsAge, Gate, GateVerdict, OpenBreaker } from './ports.js';
import { RefusalCount } from './refusal-count.js';
import { SettleClaims, skusOf } from './settle-claims.js';
import { settleKnown } from './sweep-journal.js';
import type { Switches } from './switches.js';
import type { SyncGates } from './sync-gates.js';
import { UnmarkedTries } from './unmarked-tries.js';

/** Left for the way back, so that PENDING arrives before its caller gives up. */
const WAY_BACK_MS = 150;

export interface PlaceHoldsOptions {
  ledger: Ledger;
  /** For what goes straight to admission. */
  directLedger: Pick<Ledger, 'claimsAdmit'>;
  /** The ledger's time, as measured from here. */
  ledgerNow(): Date;
  switches: Pick<Switches, 'stock' | 'stockPath' | 'orderPath' | 'onChange'>;
  /** Absent: every order goes straight to the ledger. */
  gate?: Gate | undefined;
  syncGates?: SyncGates | undefined;
  /** Absent: what the gate lets in is admitted directly. */
  stream?: ClaimStream | undefined;
  /** Of the stream; absent without one. */
  claimsAge?: ClaimsAge | undefined;
  openBreaker: OpenBreaker;
  shards: number;
  directTurns: number;
  maxInFlight: number;
  metrics: Pick<Metrics, 'counter'>;
  logger: Logger;
}

/**
 * Orders in flight, and among them those that wait; refusals answered so far; breakers, where there is a callee; and the
 * ways that an order goes now if no narrower switch says otherwise.
 */
export interface Stats {
  inFlight: number;
  parked: number;
  undecided: number;
  refusals: { recorded: number; unrecorded: number };
  breakers: Partial<Record<Callee, Breaker['state']>>;
  paths: { stock: 'REDIS' | 'POSTGRES'; order: 'STREAM' | 'DIRECT' };
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
 * Too few in the gate: parked until the ledger has spoken. Gate or stream away, or switched off: straight to admission,
 * by the same order id, so that whatever happened to the lost call, it is one order.
 */
export class PlaceHolds {
  private readonly gate: PassGate | undefined;
  private readonly catchUpGates: CatchUpGates | undefined;
  private readonly settleClaims: SettleClaims | undefined;
  private readonly parked: ParkShort;
  private readonly direct: AdmitDirectly;
  private readonly toLedger: CarryClaims;
  private readonly deadlines = new Deadlines((placement) => this.timeIsUp(placement));
  private readonly unmarked: UnmarkedTries;
  private readonly refusals: RefusalCount;
  private readonly paths: PathCount;
  private inFlight = 0;

  constructor(private readonly options: PlaceHoldsOptions) {
    const { gate, syncGates, stream, ledger, switches, openBreaker, shards, logger, metrics } = options;
    this.paths = new PathCount(metrics);
    const onDecided = (placement: Placement, decision: Decision): void => this.decided(placement, decision);
    this.gate = gate && syncGates && new PassGate({ gate, syncGates, openBreaker, shards });
    this.catchUpGates = syncGates && new CatchUpGates((skuIds) => syncGates.syncSkus(skuIds), logger);
    this.settleClaims = gate && new SettleClaims(gate, shards, logger);
    this.direct = new AdmitDirectly({ ledger: options.directLedger, turns: options.directTurns, onDecided, logger });
    this.toLedger = new CarryClaims({
      ...{ ledger, switches, openBreaker, shards, onDecided, logger, paths: this.paths },
      stream: gate && stream,
      admitDirectly: (placement) => this.direct.add(placement),
    });
    this.unmarked = new UnmarkedTries({
      unmarkedNote: (forMs) => ledger.unmarkedNote(forMs),
      ledgerNow: () => options.ledgerNow(),
      logger,
    });
    this.parked = new ParkShort({
      parkedRead: (claims) => ledger.parkedRead(claims),
      placeAgain: async (placements, now, skus) => (await this.gate?.placeAgain(placements, now, skus)) ?? [],
      settleKnown: async (shard, skuId) => {
        if (gate) await settleKnown(gate, ledger, shard, skuId);
      },
      oldestMs: (shard) => (stream ? options.claimsAge?.oldestMs(shard) : 0),
      onDecided,
      isForGate: (placement) => this.wayIn(placement) === 'GATE',
      pastGate: (placement, error) => this.pastGate(placement, error),
      admitDirectly: (placement) => this.direct.add(placement),
      onVerdict: (placement, verdict) => this.route(placement, verdict),
      logger,
    });
    this.refusals = new RefusalCount(metrics);
    this.gate?.breaker.onClosed(() => void this.catchUpGates?.catchUp());
    switches.onChange(() => void this.catchUpGates?.catchUp());
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

  private enter(placement: Placement): void {
    if (placement.answered) return;
    const behind = this.parked.behind(placement);
    if (!this.gate || this.wayIn(placement) !== 'GATE') this.pastGate(placement);
    else if (behind !== undefined) this.parked.park(placement, behind);
    else {
      this.gate.place(placement).then(
        (verdict) => this.route(placement, verdict),
        (error: unknown) => this.pastGate(placement, error),
      );
    }
  }

  private route(placement: Placement, verdict: GateVerdict): void {
    if (placement.answered) return; // its caller is gone; what it left in the journal, the sweep drops
    if (!('skuId' in verdict)) placement.leftTrace = true;
    switch (verdict.code) {
      case 'IN':
        this.paths.add('REDIS');
        placement.letIn = true;
        this.toLedger.carry(placement);
        break;
      case 'UNDECIDED':
        placement.joined = true;
        this.toLedger.join(placement);
        break;
      case 'REPUBLISH':
        placement.joined = true;
        this.toLedger.carry(placement);
        break;
      default:
        this.parked.park(placement, verdict.skuId);
    }
  }

  /** The gate did not answer, in which case the outcome is unknown, or is not to be asked. */
  private pastGate(placement: Placement, error?: unknown): void {
    if (error instanceof Fault && error.reason !== 'UNAVAILABLE') placement.fail(error);
    else if (this.wayIn(placement, false) === 'NOWHERE') placement.fail(notGoneRound('gate'));
    else {
      this.paths.add('POSTGRES');
      this.catchUpGates?.add(skusOf(placement.claim.lines));
      this.direct.add(placement);
    }
  }

  /** News from the order service. */
  heard(decision: Decision): void {
    this.toLedger.heard(decision);
  }

  /** Whoever decides the claims of a shard is alive. */
  heardFrom(shard: number): void {
    this.toLedger.heardFrom(shard);
  }

  awaits(orderId: string): boolean {
    return this.toLedger.awaits(orderId);
  }

  private decided(placement: Placement, decision: Decision): void {
    if (decision.kind === 'REFUSED' && !placement.answered) this.refusals.add(decision);
    placement.decided(decision);
    this.toLedger.decided(placement);
    if (!placement.letIn) return;
    placement.letIn = false;
    this.settleClaims?.add(placement, decision);
    this.parked.stir(skusOf(placement.claim.lines));
  }

  /** Units of these skus came back: who waits for one of them has a turn at once, and their gates are set. */
  freed(skuIds: readonly string[]): void {
    this.parked.stir(skuIds);
    this.catchUpGates?.add(skuIds);
    if (this.gate?.breaker.closed) void this.catchUpGates?.catchUp();
  }

  /**
   * The caller must be answered now: PENDING if the stream has the claim and the journal keeps the promise, else unknown.
   * A promise is kept however late, so none is made past the not-after: a process that stood still may hear only then that
   * its claim was stored, and it may have been stored too late.
   */
  private timeIsUp(placement: Placement): void {
    this.toLedger.forget(placement);
    const unknown = (): void => placement.fail(new Fault('UNAVAILABLE', 'not decided in time', { retryAfterMs: 200 }));
    const isOver = placement.notAfter < this.options.ledgerNow();
    if (!this.gate || placement.storedAtMs === undefined || isOver) unknown();
    else this.gate.promise(placement).then(() => placement.answer({ kind: 'PENDING' }), unknown);
  }

  stats(): Stats {
    const { gate, stream } = this.breakers;
    return {
      inFlight: this.inFlight,
      parked: this.parked.size,
      undecided: this.toLedger.size,
      refusals: this.refusals.stats,
      breakers: { ...(gate && { gate: gate.state }), ...(stream && { stream: stream.state }) },
      paths: {
        stock: this.wayInBy(this.options.switches.stockPath) !== 'STRAIGHT' ? 'REDIS' : 'POSTGRES',
        order: this.toLedger.wayOn() === 'DIRECT' ? 'DIRECT' : 'STREAM',
      },
    };
  }

  /** Of the callees that there are. */
  get breakers(): Partial<Record<Callee, Breaker>> {
    return {
      ...(this.gate && { gate: this.gate.breaker }),
      ...(this.toLedger.breaker && { stream: this.toLedger.breaker }),
    };
  }

  async drain(): Promise<void> {
    await this.gate?.drain();
    await this.toLedger.drain();
    await this.direct.drain();
    await this.settleClaims?.drain();
    this.toLedger.close();
    this.deadlines.close();
    this.unmarked.close();
  }

  private wayIn({ claim }: Placement, gateAnswers?: boolean): WayIn {
    return this.wayInBy(this.options.switches.stock(claim.storeId, skusOf(claim.lines)), gateAnswers);
  }

  private wayInBy(setting: StockSetting, gateAnswers = this.gate?.breaker.closed ?? false): WayIn {
    return this.gate ? wayIn(setting, gateAnswers) : 'STRAIGHT';
  }
}
