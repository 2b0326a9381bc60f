import { Fault } from '#libs/refusal/fault.js';
import { type EndOfTry, endingOf } from '../../services/gateway/src/domain/ending-of.js';
import type { Outcome } from '../../services/inventory/src/app/placement.js';
import type { Try } from './claims.js';
import { Answer, ask, type Flow, wait } from './flow.js';
import { type Begun, type Change, requestsBegin, requestsEnd, UNSEEN_MS, wordsOf } from './mark-scripts.js';
import type { Mesh } from './mesh.js';
import { Process } from './world.js';

type Done = Extract<Begun, { kind: 'DONE' }>;

interface Attempt {
  /** As `Attempt` of once.ts: undefined without a mark, 0 when another try is known of. */
  firstForMs: number | undefined;
  readonly giveUpAtMs: number;
}

interface Running {
  readonly fingerprint: string;
  readonly owner: number;
  readonly told: Answer<Outcome>;
  isShared: boolean;
}

const WAIT_MAX_MS = 3333;
const ATTEMPT_SHARE = 0.9;
const TRIES_MAX = 4;
const REPEATED_FOR_MS = 30_000;
const CLOCKS_MS = 20;
const BEGIN_AGAIN_MS = 25;
const LOOK_AGAIN_MS = 50;
const ASK_AGAIN_MS = 25;
const TELL_AGAIN_MS = 250;
const LETTERS = { STORE: 'S', FORGET: 'F', LEAVE: 'L' } as const;
/** A claim on the wire for longer than this does not arrive: what ADR 11 rests on. */
const WIRE_MS = 1000;

export const unknown: Outcome = { kind: 'FAULT', fault: new Fault('UNAVAILABLE', 'not known yet') };
const reused: Outcome = { kind: 'FAULT', fault: new Fault('REQUEST_ID_REUSED', 'other lines') };

/** A gateway as once.ts and place-order.ts have it: one effect for each request id. Limits and lines are left out. */
export class Gateway {
  readonly process: Process;
  #running = new Map<string, Running>();
  /** Tries that have no answer yet. */
  #open = new Set<Try>();
  /** When its last reply was made, by Redis, and when it arrived. */
  #madeAtMs: number;
  #arrivedAtMs: number;
  /** A batch is failing to begin: no other reply counts meanwhile. */
  #isSilent = false;

  constructor(
    private readonly mesh: Mesh,
    name: string,
  ) {
    this.process = new Process(name, 0);
    this.#madeAtMs = mesh.redis.nowMs;
    this.#arrivedAtMs = mesh.world.nowMs;
  }

  /** Its memory is gone; Redis and the ledger have theirs. */
  crash(): void {
    this.mesh.world.crash(this.process);
    for (const { person } of this.#open) person.waitingFor -= 1;
    this.#open = new Set();
    this.#running = new Map();
    this.#isSilent = false;
    this.#madeAtMs = 0;
    this.#arrivedAtMs = this.mesh.world.nowMs;
  }

  /** Shows itself to the others, as it does all the time. */
  beat(): void {
    const { redis } = this.mesh;
    if (this.process.isStalled || this.process.cutFrom.has('REDIS')) return;
    this.mesh.heard(this.process.name, this.#madeAtMs);
    if (!this.#isSilent) this.#note(redis.nowMs);
  }

  reserve(tried: Try): void {
    this.#open.add(tried);
    this.mesh.world.spawn(this.process, tried.person.name, this.#reserve(tried));
  }

  *#reserve(tried: Try): Flow {
    const { world } = this.mesh;
    const giveUpAtMs = world.nowMs + WAIT_MAX_MS;
    const fingerprint = fingerprintOf(tried);
    for (;;) {
      const running = this.#running.get(tried.person.orderId);
      const outcome = running
        ? yield* this.#answerOf(running, fingerprint)
        : yield* this.#tryOnce(tried, fingerprint, giveUpAtMs);
      if (outcome) return this.#tell(tried, outcome);
      if (world.nowMs >= giveUpAtMs) return this.#tell(tried, unknown);
      yield* world.pause(this.process, LOOK_AGAIN_MS);
    }
  }

  #tell(tried: Try, outcome: Outcome): void {
    this.#open.delete(tried);
    this.mesh.told(tried, outcome);
  }

  *#answerOf(running: Running, fingerprint: string): Flow<Outcome | undefined> {
    if (running.fingerprint !== fingerprint) return reused;
    const outcome = yield* wait(running.told);
    return running.isShared ? outcome : undefined;
  }

  /** Undefined: another try has the mark. */
  *#tryOnce(tried: Try, fingerprint: string, giveUpAtMs: number): Flow<Outcome | undefined> {
    const owner = this.mesh.nextOwner();
    const begun = yield* this.#begin(tried, fingerprint, owner);
    if (!begun) {
      if (this.#running.has(tried.person.orderId)) return undefined;
      return yield* this.#carryOut(tried, { firstForMs: undefined, giveUpAtMs }, { fingerprint, owner });
    }
    this.mesh.world.note?.(`${this.process.name}: the mark of ${tried.person.name} says ${wordsOf(begun)}`);
    switch (begun.kind) {
      case 'GO':
        tried.isMarked = true;
        return yield* this.#carryOut(tried, { firstForMs: begun.firstForMs, giveUpAtMs }, { fingerprint, owner });
      case 'IN_PROGRESS':
        return undefined;
      case 'DONE':
        tried.isMarked = true;
        return yield* this.#replay(tried, begun, giveUpAtMs);
      case 'REUSED':
        return reused;
    }
  }

  /** Undefined: it goes on without a mark, for the others do not rely on its marks any more. */
  *#begin(tried: Try, fingerprint: string, owner: number): Flow<Begun | undefined> {
    const { redis, world } = this.mesh;
    const markId = tried.person.orderId;
    for (;;) {
      try {
        const { madeAtMs, begun } = yield* ask('REDIS', () =>
          requestsBegin(redis, { gateway: this.process.name, repliedAtMs: this.#madeAtMs, markId, fingerprint, owner }),
        );
        this.#isSilent = false;
        this.#note(madeAtMs);
        tried.count = world.count;
        return begun;
      } catch {
        this.#isSilent = true;
        yield* world.pause(this.process, BEGIN_AGAIN_MS);
        if (world.nowMs - this.#arrivedAtMs <= UNSEEN_MS + CLOCKS_MS) continue;
        this.#isSilent = false;
        tried.count = world.count;
        tried.isForgotten = !redis.keys.gateways.has(this.process.name);
        world.note?.(`${this.process.name}: ${tried.person.name} goes on without a mark`);
        this.#tellLater({ markId, owner, letter: 'L' }, world.nowMs + 10_000);
        return undefined;
      }
    }
  }

  *#replay(tried: Try, { mark: { outcome }, ageMs }: Done, giveUpAtMs: number): Flow<Outcome> {
    if (outcome.kind === 'REFUSED') return outcome;
    const isFresh = outcome.kind === 'HELD' && ageMs < REPEATED_FOR_MS && isStillHeld(outcome, this.mesh.world.nowMs);
    if (isFresh) return outcome;
    const { orderId } = tried.person;
    try {
      const [order] = yield* ask('LEDGER', () => this.mesh.ledger.ordersRead([orderId]));
      if (order && fingerprintOf(order) === fingerprintOf(tried))
        return order.refusal ? { kind: 'REFUSED', refusal: order.refusal } : { kind: 'HELD', order };
      if (!order && (yield* ask('REDIS', () => this.mesh.redis.keys.promised.has(orderId)))) return { kind: 'PENDING' };
    } catch {
      // Whoever places it again can say.
    }
    return yield* this.#place(tried, { firstForMs: 0, giveUpAtMs });
  }

  *#carryOut(tried: Try, attempt: Attempt, own: { fingerprint: string; owner: number }): Flow<Outcome> {
    const running: Running = { ...own, told: new Answer('OWN'), isShared: false };
    this.#running.set(tried.person.orderId, running);
    let outcome = yield* this.#place(tried, attempt);
    const mayLackRow = outcome.kind === 'REFUSED' && isFirst(attempt);
    if (!mayLackRow) this.#spawnEnd(tried, running, outcome, attempt);
    // This no may have left no row. Unless its mark keeps it, another try could hear a yes: then it gets a row.
    else {
      const isKept = yield* this.#end(tried, running, outcome, attempt);
      if (isKept === undefined) outcome = unknown;
      else if (!isKept && !this.mesh.rules.has('no-told-unstored')) {
        const again = { ...attempt, firstForMs: 0 };
        outcome = yield* this.#place(tried, again);
        this.#spawnEnd(tried, running, outcome, again);
      }
    }
    running.isShared = endingOf(endOf(outcome), { isSurelyFirst: true }) !== 'LEAVE';
    running.told.say(outcome);
    return outcome;
  }

  /** A peer that breaks off is followed by another try, which is not the first any more. */
  *#place(tried: Try, attempt: Attempt): Flow<Outcome> {
    const { world, inventories, rules } = this.mesh;
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      const leftMs = attempt.giveUpAtMs - world.nowMs;
      if (leftMs <= 0) return unknown;
      const answer = new Answer<Outcome>('WIRE');
      const inventory = inventories[(tried.route + tries) % inventories.length];
      const { firstForMs } = attempt;
      const sentAtMs = world.nowMs;
      world.timer(this.process, attempt.giveUpAtMs, () => answer.lose());
      try {
        yield* ask('WIRE', () => {
          if (world.nowMs - sentAtMs > WIRE_MS && !rules.has('slow-wire')) answer.lose();
          else inventory?.place(tried, { remainingMs: Math.max(1, leftMs * ATTEMPT_SHARE), firstForMs }, answer);
        });
        return yield* wait(answer);
      } catch {
        if (attempt.firstForMs !== undefined) attempt.firstForMs = 0;
      }
    }
    return unknown;
  }

  #spawnEnd(tried: Try, running: Running, outcome: Outcome, attempt: Attempt): void {
    const end = this.#end.bind(this);
    const flow = (function* (): Flow {
      yield* end(tried, running, outcome, attempt);
    })();
    this.mesh.world.spawn(this.process, `end of ${tried.person.name}`, flow);
  }

  /** Whether the mark is as it says now; undefined when nobody knows. */
  *#end({ person }: Try, running: Running, outcome: Outcome, attempt: Attempt): Flow<boolean | undefined> {
    const { redis, world } = this.mesh;
    const isSurelyFirst = isFirst(attempt);
    const remainder = endingOf(endOf(outcome), { isSurelyFirst });
    const letter = remainder === 'STORE' && isSurelyFirst && outcome.kind === 'REFUSED' ? 'N' : LETTERS[remainder];
    const stored = remainder === 'STORE' && outcome.kind !== 'FAULT' ? outcome : undefined;
    const change: Change = { markId: person.orderId, owner: running.owner, letter, outcome: stored };
    let isEnded: boolean | undefined = false;
    if (letter === 'N') isEnded = yield* this.#storeNo(change, attempt.giveUpAtMs);
    else if (attempt.firstForMs !== undefined) {
      try {
        isEnded = yield* ask('REDIS', () => requestsEnd(redis, change));
      } catch {
        this.#tellLater(change, world.nowMs + 10_000);
      }
    }
    if (this.#running.get(person.orderId) === running) this.#running.delete(person.orderId);
    if (!isEnded && outcome.kind === 'HELD') this.#tellLater({ ...change, letter: 'B' }, world.nowMs + 600_000);
    return isEnded;
  }

  /** Whether it is stored; undefined when nobody knows, however often it was asked. */
  *#storeNo(change: Change, giveUpAtMs: number): Flow<boolean | undefined> {
    const { rules, world } = this.mesh;
    for (let letter: 'N' | 'A' = 'N'; ; letter = 'A') {
      try {
        const isStored = yield* ask('REDIS', () => this.#storeNow({ ...change, letter }));
        return isStored || letter === 'N' ? isStored : undefined;
      } catch {
        if (rules.has('stored-no-unheard')) return false;
        if (world.nowMs + ASK_AGAIN_MS >= giveUpAtMs) break;
        yield* world.pause(this.process, ASK_AGAIN_MS);
      }
    }
    this.#tellLater({ ...change, letter: 'L' }, world.nowMs + 10_000);
    return undefined;
  }

  #storeNow(change: Change): boolean {
    const { redis, witness } = this.mesh;
    const isStored = requestsEnd(redis, change);
    if (isStored && change.outcome) witness.kept(change.outcome);
    return isStored;
  }

  /** Until it is told, or does not matter any more. */
  #tellLater(change: Change, tellUntilMs: number): void {
    const { process } = this;
    const { redis, world } = this.mesh;
    const flow = (function* (): Flow {
      while (world.nowMs < tellUntilMs) {
        try {
          yield* ask('REDIS', () => requestsEnd(redis, change));
          return;
        } catch {
          yield* world.pause(process, TELL_AGAIN_MS);
        }
      }
    })();
    world.spawn(this.process, `telling the mark '${change.letter}'`, flow);
  }

  #note(madeAtMs: number): void {
    this.#madeAtMs = madeAtMs;
    this.#arrivedAtMs = this.mesh.world.nowMs;
  }
}

function isFirst({ firstForMs = 0 }: Attempt): boolean {
  return firstForMs > 0;
}

function endOf(outcome: Outcome): EndOfTry {
  if (outcome.kind === 'FAULT') return outcome.fault.reason;
  return outcome.kind === 'REFUSED' && outcome.refusal.opensAt ? 'REFUSED_UNTIL_OPENING' : outcome.kind;
}

function isStillHeld({ order }: Extract<Outcome, { kind: 'HELD' }>, nowMs: number): boolean {
  return order.expiresAt === undefined || order.expiresAt.getTime() > nowMs;
}

function fingerprintOf({ lines }: Pick<Try, 'lines'>): string {
  return lines.map(({ skuId, quantity }) => `${skuId}x${quantity}`).join();
}
