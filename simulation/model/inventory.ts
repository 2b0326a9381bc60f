import { type Decision, decisionOf } from '#libs/ledger/decision.js';
import { type Outcome, Placement } from '../../services/inventory/src/app/placement.js';
import { leftUnits, skusOf } from '../../services/inventory/src/app/settle-claims.js';
import {
  boardOf,
  type SwitchBoard,
  stockSetting,
  type WayIn,
  type WayOn,
  wayIn,
  wayOn,
} from '../../services/inventory/src/domain/path.js';
import { isStalled } from '../../services/inventory/src/domain/stalled.js';
import { LONGEST_ATTEMPT_MS } from '../../services/inventory/src/domain/surely-first.js';
import type { TriedClaim, Try } from './claims.js';
import { DirectAdmission } from './direct-admission.js';
import { type Answer, ask, type Flow } from './flow.js';
import { claimsPromise, claimsSettle, holdsPlace, type Verdict } from './gate-scripts.js';
import { unknown } from './gateway.js';
import type { Mesh } from './mesh.js';
import { ParkedLines } from './parked-lines.js';
import { UnmarkedTries } from './unmarked-tries.js';
import { Process } from './world.js';

const WAY_BACK_MS = 150;
const POLL_MS = 1000;

/** A try in an inventory: the real one, and what the model knows of it besides. */
export class Attempted extends Placement {
  override readonly claim: TriedClaim;

  constructor(
    attempt: ConstructorParameters<typeof Placement>[0] & { claim: TriedClaim },
    respond: (outcome: Outcome) => void,
    readonly sinceMs: number,
  ) {
    super(attempt, respond);
    this.claim = attempt.claim;
  }
}

export interface Tried {
  readonly remainingMs: number;
  readonly firstForMs: number | undefined;
}

/** An inventory as place-holds.ts has it. What its timers do is done whenever a schedule says so. */
export class Inventory {
  readonly process: Process;
  /** Whether the breakers are open. Each process has its own. */
  readonly open = { gate: false, stream: false };
  /** The last word on the switches that it has read. */
  seen: SwitchBoard = boardOf([], new Date(0));
  waiting = new Map<string, Attempted[]>();
  parked: ParkedLines;
  readonly direct: DirectAdmission;
  /** How old the oldest claim of the stream is: since when it was asked, and what it said. */
  oldest: { readonly storedAtMs: number } | { readonly emptyAtMs: number } | undefined;
  #answers = new Set<Answer<Outcome>>();
  #unmarked: UnmarkedTries;
  #lastDecisionMs = 0;
  #polledAtMs = 0;
  #unknownAtMs = 0;

  constructor(
    private readonly mesh: Mesh,
    name: string,
    clockOffMs: number,
  ) {
    this.process = new Process(name, clockOffMs);
    this.parked = new ParkedLines(mesh, this);
    this.direct = new DirectAdmission(mesh, this);
    this.#unmarked = new UnmarkedTries(mesh, this);
  }

  get ledgerMs(): number {
    return this.mesh.world.nowMs + this.process.clockOffMs;
  }

  crash(): void {
    this.mesh.world.crash(this.process);
    const answers = this.#answers;
    this.#answers = new Set();
    this.waiting = new Map();
    this.parked = new ParkedLines(this.mesh, this);
    this.oldest = undefined;
    this.#unmarked = new UnmarkedTries(this.mesh, this);
    this.open.gate = false;
    this.open.stream = false;
    this.seen = boardOf([], new Date(0));
    this.#unknownAtMs = 0;
    for (const answer of answers) answer.lose();
  }

  /** What it does all the time: asks once a second how old the oldest claim is. */
  beat(): void {
    const { stream, world } = this.mesh;
    if (this.process.isStalled || world.nowMs - this.#polledAtMs < POLL_MS) return;
    this.#polledAtMs = world.nowMs;
    const storedAtMs = stream.oldestStoredAtMs();
    if (this.process.cutFrom.has('STREAM')) this.oldest = undefined;
    else this.oldest = storedAtMs === undefined ? { emptyAtMs: world.nowMs } : { storedAtMs };
  }

  place(tried: Try, { remainingMs, firstForMs }: Tried, answer: Answer<Outcome>): void {
    const { world } = this.mesh;
    const leftMs = Math.min(remainingMs, LONGEST_ATTEMPT_MS);
    const claim = claimOf(tried);
    const answerByMs = world.nowMs + Math.max(leftMs - WAY_BACK_MS, leftMs / 2);
    const attempt = { claim, shard: 0, notAfter: new Date(this.ledgerMs + leftMs), answerByMs, firstForMs };
    this.#answers.add(answer);
    const respond = (outcome: Outcome): void => {
      this.#answers.delete(answer);
      answer.say(outcome);
    };
    const placement = new Attempted(attempt, respond, world.nowMs);
    world.timer(this.process, answerByMs, () => {
      if (!placement.answered) this.spawn('time is up', placement, this.#timeIsUp(placement));
    });
    this.spawn('placing', placement, this.#enter(placement));
  }

  /** News of an order: it may be about another try of its id. */
  heard(decision: Decision): void {
    this.#lastDecisionMs = this.mesh.world.nowMs;
    const placements = this.waiting.get(decision.orderId) ?? [];
    this.waiting.delete(decision.orderId);
    for (const placement of placements)
      if (placement.isAnsweredBy(decision)) this.decided(placement, decision);
      else this.direct.add(placement);
  }

  decided(placement: Attempted, decision: Decision): void {
    placement.decided(decision);
    this.#forget(placement);
    if (!placement.letIn) return;
    placement.letIn = false;
    this.parked.stir();
    if (this.mesh.rules.has('never-settled')) return;
    const { orderId, lines } = placement.claim;
    const settlement = { orderId, skuIds: skusOf(lines), again: leftUnits(decision) };
    const { redis, world } = this.mesh;
    world.spawn(this.process, `settling ${placement.claim.by.person.name}`, settled());

    function* settled(): Flow {
      try {
        yield* ask('REDIS', () => claimsSettle(redis, [settlement]));
      } catch {
        // The sweep will.
      }
    }
  }

  route(placement: Attempted, verdict: Verdict): void {
    if (placement.answered) return;
    if (!('skuId' in verdict)) placement.leftTrace = true;
    switch (verdict.code) {
      case 'IN':
        placement.letIn = true;
        this.#carry(placement);
        break;
      case 'UNDECIDED':
        placement.joined = true;
        this.#wait(placement);
        break;
      case 'REPUBLISH':
        placement.joined = true;
        this.#carry(placement);
        break;
      default:
        if (this.mesh.rules.has('gate-is-truth') && verdict.code === 'SHORT')
          placement.answer({ kind: 'REFUSED', refusal: { reason: 'SOLD_OUT', skuId: verdict.skuId } });
        else this.parked.park(placement, verdict.skuId);
    }
  }

  /** One read for all who wait. */
  *look(): Flow {
    try {
      const orderIds = [...this.waiting.keys()];
      const askedAtMs = this.mesh.world.nowMs;
      const orders = yield* ask('LEDGER', () => this.mesh.ledger.ordersRead(orderIds));
      if (orders.length === 0) this.#unknownAtMs = askedAtMs;
      for (const order of orders) this.heard(decisionOf(order));
    } catch {
      // They are looked up again.
    }
  }

  *poll(): Flow {
    const beganAtMs = this.mesh.world.nowMs;
    try {
      const storedAtMs = yield* ask('STREAM', () => this.mesh.stream.oldestStoredAtMs());
      this.oldest = storedAtMs === undefined ? { emptyAtMs: beganAtMs } : { storedAtMs };
    } catch {
      this.oldest = undefined;
    }
  }

  /** Claims wait, and nobody decides: whoever waits goes directly, by the same order id. */
  goRoundStalledConsumers(): void {
    const waiting = [...this.waiting.values()].flat();
    const waitingSinceMs = Math.min(...waiting.map(({ sinceMs }) => sinceMs));
    const news = {
      waitingSinceMs,
      lastNewsAtMs: this.#lastDecisionMs,
      unknownAtMs: this.#unknownAtMs,
      lookingSinceMs: 0,
    };
    if (waiting.length === 0 || !isStalled(news, this.mesh.world.nowMs) || this.wayOn(false) === 'NOWHERE') return;
    this.mesh.world.note?.(`${this.process.name}: nobody decides, ${waiting.length} go directly`);
    this.open.stream = true;
    for (const placement of waiting) this.direct.add(placement);
  }

  /** Reads the switches as they are set now. */
  seeSwitches(): void {
    this.seen = boardOf(this.mesh.switches, new Date(this.ledgerMs));
  }

  wayIn({ claim }: Attempted, gateAnswers = !this.open.gate): WayIn {
    return wayIn(stockSetting(this.seen, claim.storeId, skusOf(claim.lines)), gateAnswers);
  }

  wayOn(streamAnswers = !this.open.stream): WayOn {
    return wayOn(this.seen.orderPath, streamAnswers);
  }

  spawn(what: string, { claim }: Attempted, flow: Flow): void {
    this.mesh.world.spawn(this.process, `${what} ${claim.by.person.name}`, flow);
  }

  *#enter(placement: Attempted): Flow {
    const { redis, rules, world } = this.mesh;
    const { by } = placement.claim;
    if (placement.firstForMs === undefined) yield* this.#unmarked.note();
    // For everybody else it begins when the ledger has been told.
    if (by.isForgotten) by.count = world.count;
    if (placement.answered) return;
    if (this.wayIn(placement) !== 'GATE') return this.#pastGate(placement);
    const behind = this.parked.behind(placement);
    if (behind !== undefined) return this.parked.park(placement, behind);
    try {
      const verdict = yield* ask('REDIS', () => holdsPlace(redis, placement.claim, rules));
      world.note?.(`${this.process.name}: the gate says ${verdict.code} to ${placement.claim.by.person.name}`);
      this.route(placement, verdict);
    } catch {
      this.#pastGate(placement);
    }
  }

  #pastGate(placement: Attempted): void {
    if (this.wayIn(placement, false) === 'NOWHERE') placement.answer(unknown);
    else this.direct.add(placement);
  }

  #carry(placement: Attempted): void {
    if (this.wayOn() !== 'STREAM') this.#pastStream(placement);
    else {
      this.#wait(placement);
      this.spawn('publishing', placement, this.#publish(placement));
    }
  }

  *#publish(placement: Attempted): Flow {
    const { claim, notAfter } = placement;
    try {
      yield* ask('STREAM', () => this.mesh.stream.store(claim, notAfter.getTime()));
      placement.storedAtMs = this.mesh.world.nowMs;
    } catch {
      this.#pastStream(placement, !this.mesh.rules.has('direct-unrecorded'));
    }
  }

  #pastStream(placement: Attempted, record = true): void {
    if (this.wayOn(false) === 'NOWHERE') {
      this.#forget(placement);
      placement.answer(unknown);
    } else this.direct.add(placement, record);
  }

  *#timeIsUp(placement: Attempted): Flow {
    this.#forget(placement);
    const isOver = placement.notAfter.getTime() < this.ledgerMs;
    if (placement.storedAtMs === undefined || isOver) return placement.answer(unknown);
    try {
      yield* ask('REDIS', () => claimsPromise(this.mesh.redis, placement.claim));
      placement.answer({ kind: 'PENDING' });
    } catch {
      placement.answer(unknown);
    }
  }

  #wait(placement: Attempted): void {
    const { orderId } = placement.claim;
    const others = this.waiting.get(orderId);
    if (!others) this.waiting.set(orderId, [placement]);
    else if (!others.includes(placement)) others.push(placement);
  }

  #forget(placement: Attempted): void {
    const { orderId } = placement.claim;
    const others = this.waiting.get(orderId)?.filter((other) => other !== placement) ?? [];
    if (others.length > 0) this.waiting.set(orderId, others);
    else this.waiting.delete(orderId);
  }
}

function claimOf(tried: Try): TriedClaim {
  const { orderId, userId, requestId } = tried.person;
  return { orderId, storeId: 'store', userId, requestId, lines: tried.lines, by: tried };
}
