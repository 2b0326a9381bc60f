import { Fault } from '#libs/refusal/fault.js';
import type { Logger } from '#libs/runtime/logger.js';
import { type EndOfTry, endingOf, remainders } from '../domain/ending-of.js';
import { requestIdNotIssued } from './issued-request-ids.js';
import type { LocalBuckets } from './limits/local-buckets.js';
import type { Beginning, Begun, Ending, Limited, Requests, StoredOutcome } from './ports.js';
import { recordedFault } from './recorded-fault.js';
import { requestIdReused } from './request-id-reused.js';
import { SharedTimer } from './shared-timer.js';
import { unknownOutcome } from './unknown-outcome.js';

/** A change as one kind of verb carries it out and tells it. Nothing here rejects or throws. */
export interface Verb<Asked, Answer> {
  /** Whether its marks have the ids of the orders that it makes. */
  readonly makesOrders: boolean;
  carryOut(asked: Asked, attempt: Attempt): Promise<Carried<Answer>>;
  /** What an earlier try was answered, as it is told today; undefined when that cannot be known now. */
  replay(asked: Asked, done: Extract<Begun, { kind: 'DONE' }>): Answer | undefined | Promise<Answer | undefined>;
  /** The answer of another try, told once more. */
  again(answer: Answer): Answer;
  queue(place: Extract<Begun, { kind: 'QUEUED' }>): Answer;
  limit(asked: Asked, limited: Limited): Answer;
  fail(fault: Fault): Answer;
}

export interface Attempt {
  /**
   * No other try began for so long; 0 when one is known of. Whoever tries again within the attempt sets it to 0. Undefined:
   * no mark says so, nor will one tell others of this try.
   */
  firstForMs: number | undefined;
  /** On performance.now(): past it nobody waits for the answer. */
  readonly giveUpAt: number;
}

/** How a change was carried out. */
export interface Carried<Answer> {
  readonly answer: Answer;
  readonly end: EndOfTry;
  /** What is stored, when this end is stored. */
  readonly bytes: Uint8Array;
  readonly shut: Ending['shut'];
}

/** Where changes wait until there is room to work on them. */
export interface Room {
  /** Undefined, at once or later: begin. Else the fault of one that is turned away. */
  enter(storeId: string, giveUpAt: number): Promise<Fault | undefined> | Fault | undefined;
  leave(): void;
}

export interface OnceOptions<Asked, Answer> {
  verb: Verb<Asked, Answer>;
  /** Absent: no marks, every try is carried out, and the local buckets count. */
  requests: Requests | undefined;
  /** Asked while the buckets of all gateways cannot be. Absent: such changes are nobody's to pay for. */
  localBuckets?: Pick<LocalBuckets, 'take' | 'heard'> | undefined;
  room?: Room;
  logger: Logger;
  /** How long a mark stays with its try unless it is renewed (10 s). */
  leaseMs?: number;
}

/** A try that this process carries out. */
interface Running<Answer> {
  readonly change: Beginning;
  readonly giveUpAt: number;
  heldUntil: number;
  /** Whether the answer holds for every try. Set before `told` resolves. */
  isShared: boolean;
  told: Promise<Answer>;
}

/** The part of its time that a try waits for another one, or for a mark; the rest is for the answer to arrive. */
const waitShare = 0.9;
const firstWaitMs = 50;
const longestWaitMs = 250;

/**
 * Carries a change out once for each mark, whichever gateway its tries reach:
 *
 * 1. begin. GO: this try has the mark. Every other word is an answer, but that another try has it.
 * 2. Another try has it: its answer is awaited here, else begin is asked again, until the deadline.
 * 3. carry out, the mark kept by renewing its lease while the deadline is not over.
 * 4. end: the answer is stored, or the mark forgotten or left, as domain/ending-of.ts says. A refusal is stored before it is told.
 *    When nobody knows whether a no without a row was stored, nothing is told: another gateway may tell the no already.
 *
 * If the process dies after 1 or 3, the lease ends and the next try is carried out under the same id, as one that is not the first.
 * While Redis is away step 3 is all there is: the same id has one effect in the ledger. A yes of such a try is told to the
 * mark as soon as it can be, so that no earlier no is told after it.
 */
export class Once<Asked, Answer> {
  readonly #options: OnceOptions<Asked, Answer>;
  readonly #leaseMs: number;
  readonly #running = new Map<string, Running<Answer>>();
  readonly #timer = new SharedTimer();
  readonly #renewal: NodeJS.Timeout;

  constructor(options: OnceOptions<Asked, Answer>) {
    this.#options = options;
    this.#leaseMs = options.leaseMs ?? 10_000;
    this.#renewal = setInterval(() => this.#renew(), this.#leaseMs / 10);
    this.#renewal.unref();
  }

  close(): void {
    clearInterval(this.#renewal);
  }

  /** Never rejects. */
  async run(asked: Asked, change: Beginning, giveUpAt: number): Promise<Answer> {
    try {
      return await this.#untilAnswered(asked, change, giveUpAt);
    } catch (thrown) {
      return this.#options.verb.fail(recordedFault(thrown, this.#options.logger));
    }
  }

  async #untilAnswered(asked: Asked, change: Beginning, giveUpAt: number): Promise<Answer> {
    const waitUntil = waitsUntil(giveUpAt);
    for (let waitMs = firstWaitMs; ; waitMs = Math.min(waitMs * 1.5, longestWaitMs)) {
      const running = this.#running.get(change.markId);
      const answer = running
        ? await this.#answerOf(running, change, waitUntil)
        : await this.#tryOnce(asked, change, giveUpAt);
      if (answer !== undefined) return answer;
      // The one that has it may be here.
      if (running === undefined && this.#running.has(change.markId)) continue;
      await this.#timer.until(Math.min(performance.now() + waitMs, waitUntil));
      if (performance.now() >= waitUntil) return this.#options.verb.fail(inProgress());
    }
  }

  /** Undefined: another try has the mark. Who waits for one takes no room. */
  async #tryOnce(asked: Asked, change: Beginning, giveUpAt: number): Promise<Answer | undefined> {
    const { room, verb } = this.#options;
    const entered = room?.enter(change.storeId, giveUpAt);
    if (entered !== undefined) {
      const turnedAway = await entered;
      if (turnedAway !== undefined) return verb.fail(turnedAway);
    }
    try {
      if (performance.now() >= giveUpAt) return verb.fail(new Fault('TOO_LATE', 'The time was over before it began'));
      return await this.#begin(asked, change, giveUpAt);
    } finally {
      room?.leave();
    }
  }

  async #begin(asked: Asked, change: Beginning, giveUpAt: number): Promise<Answer | undefined> {
    const { requests, verb } = this.#options;
    if (requests === undefined) return this.#goAlone(asked, change, giveUpAt);
    const askedAt = performance.now();
    let begun: Begun;
    try {
      begun = await requests.begin(change);
    } catch {
      return this.#goAlone(asked, change, giveUpAt);
    }
    switch (begun.kind) {
      case 'GO':
        return this.#carryOut(asked, change, { firstForMs: begun.firstForMs, giveUpAt }, askedAt);
      case 'IN_PROGRESS':
        return undefined;
      case 'DONE':
        return this.#replay(asked, begun, giveUpAt);
      case 'UNKNOWN':
        return verb.fail(requestIdNotIssued);
      case 'REUSED':
        return this.#reused(change);
      case 'QUEUED':
        return verb.queue(begun);
      case 'LIMITED':
        return verb.limit(asked, begun);
    }
  }

  async #replay(asked: Asked, done: Extract<Begun, { kind: 'DONE' }>, giveUpAt: number): Promise<Answer> {
    const { verb } = this.#options;
    const answer = await verb.replay(asked, done);
    if (answer !== undefined) return verb.again(answer);
    // Carried out once more under the same id it has no further effect, and whoever does it reads what is today.
    return (await verb.carryOut(asked, { firstForMs: 0, giveUpAt })).answer;
  }

  /** Without a mark: there is nothing to end. */
  #goAlone(asked: Asked, change: Beginning, giveUpAt: number): Promise<Answer> | Answer | undefined {
    if (this.#running.has(change.markId)) return undefined;
    if (change.knownOnly) return this.#options.verb.fail(requestIdNotIssued);
    const limited = this.#options.localBuckets?.take(change);
    if (limited !== undefined) return this.#options.verb.limit(asked, limited);
    return this.#carryOut(asked, change, { firstForMs: undefined, giveUpAt }, performance.now());
  }

  #carryOut(asked: Asked, change: Beginning, attempt: Attempt, begunAt: number): Promise<Answer> {
    const heldUntil = begunAt + this.#leaseMs;
    const running: Running<Answer> = { change, giveUpAt: attempt.giveUpAt, heldUntil, isShared: false, told: unset };
    this.#running.set(change.markId, running);
    running.told = this.#carryOutAndEnd(asked, attempt, running);
    return running.told;
  }

  async #carryOutAndEnd(asked: Asked, attempt: Attempt, running: Running<Answer>): Promise<Answer> {
    const { verb } = this.#options;
    let carried = await verb.carryOut(asked, attempt);
    const ended = this.#end(running, carried, attempt);
    if (carried.end === 'REFUSED' && isSurelyFirst(attempt)) {
      // This no may have left no row. Unless its mark keeps it, another try could hear a yes: then it gets a row.
      const isKept = await ended;
      if (isKept === undefined) return verb.fail(unknownOutcome());
      if (!isKept) {
        carried = await verb.carryOut(asked, { firstForMs: 0, giveUpAt: attempt.giveUpAt });
        void this.#end(running, carried, { ...attempt, firstForMs: 0 });
      }
    }
    running.isShared = remainders[carried.end] !== 'LEAVE';
    return carried.answer;
  }

  /**
   * Ends the try; until that is known, other tries of this process find it here. Whether the mark is as it says, undefined
   * when nobody knows. Never rejects.
   */
  async #end(running: Running<Answer>, carried: Carried<Answer>, attempt: Attempt): Promise<boolean | undefined> {
    const { requests, localBuckets, logger } = this.#options;
    const { markId, shard, owner } = running.change;
    // Heard by both, because nobody knows when Redis goes away.
    localBuckets?.heard(carried.shut);
    let isEnded: boolean | undefined;
    try {
      const as = endedAs(carried, attempt);
      const isMarked = attempt.firstForMs !== undefined;
      isEnded = isMarked && ((await requests?.end({ markId, shard, owner, as, shut: carried.shut })) ?? false);
    } catch (error) {
      logger.debug({ err: error }, 'a mark was not ended');
    }
    if (this.#running.get(markId) === running) this.#running.delete(markId);
    // A no from before Redis was away may be under the mark.
    if (!isEnded && carried.end === 'HELD') requests?.born(markId, shard).catch(ignore);
    return isEnded;
  }

  /** What the other try here is told, when that holds for all; undefined when it does not, or not in time. */
  async #answerOf(running: Running<Answer>, change: Beginning, waitUntil: number): Promise<Answer | undefined> {
    const { verb } = this.#options;
    if (running.change.fingerprint !== change.fingerprint) return this.#reused(change);
    const answer = await Promise.race([running.told, this.#timer.until(waitUntil)]);
    return answer !== undefined && running.isShared ? verb.again(answer) : undefined;
  }

  #reused({ markId }: Beginning): Answer {
    const { verb } = this.#options;
    return verb.fail(requestIdReused(verb.makesOrders ? markId : undefined));
  }

  /** One timer for all: who has used up a third of the lease gets a new one, as long as somebody waits for the answer. */
  #renew(): void {
    const now = performance.now();
    for (const running of this.#running.values()) {
      const { change, giveUpAt, heldUntil } = running;
      const leftMs = heldUntil - now;
      // One that is over may be another's already.
      if (now >= giveUpAt || leftMs <= 0 || leftMs > (this.#leaseMs * 2) / 3) continue;
      const renewed = this.#options.requests?.renew(change);
      renewed?.then(
        () => {
          running.heldUntil = now + this.#leaseMs;
        },
        (error: unknown) => this.#options.logger.debug({ err: error }, 'a mark was not renewed'),
      );
    }
  }
}

/** In the place of a promise that is made a moment later. */
const unset = new Promise<never>(() => undefined);

/** On performance.now(). */
function waitsUntil(giveUpAt: number): number {
  const now = performance.now();
  return now + (giveUpAt - now) * waitShare;
}

function isSurelyFirst({ firstForMs = 0 }: Attempt): boolean {
  return firstForMs > 0;
}

function endedAs({ end, bytes }: Carried<unknown>, attempt: Attempt): Ending['as'] {
  const isFirst = isSurelyFirst(attempt);
  const remainder = endingOf(end, { isSurelyFirst: isFirst });
  if (remainder !== 'STORE') return { kind: remainder };
  const outcome = storedOutcomeOf(end);
  const stored = { kind: 'STORE', outcome, answer: bytes } as const;
  return isFirst && outcome === 'REFUSED' ? { ...stored, askUntil: waitsUntil(attempt.giveUpAt) } : stored;
}

function storedOutcomeOf(end: EndOfTry): StoredOutcome {
  return end === 'HELD' || end === 'PENDING' || end === 'REFUSED' || end === 'WAITLISTED' ? end : 'OK';
}

/** It is told again in the background. */
function ignore(): void {}

function inProgress(): Fault {
  return new Fault('REQUEST_IN_PROGRESS', 'Another try of this request is being answered');
}
