import { Fault } from '#libs/refusal/fault.js';
import type { Beginning, Begun, Ending, Place, Requests, StoredOutcome } from '../src/app/ports.js';

interface FakeMark {
  fingerprint: string;
  owner: string;
  state: 'EXECUTING' | 'TRIED' | 'DONE';
  leaseEndsAt: number;
  done?: { outcome: StoredOutcome; answer: Uint8Array; at: number };
}

/** Marks in the memory of a test, for what the app does with them; the script has tests of its own. */
export class FakeRequests implements Requests {
  readonly gateways = 1;
  readonly begun: Beginning[] = [];
  readonly ended: Ending[] = [];
  readonly renewed: string[] = [];
  readonly changed: string[] = [];
  readonly births: string[] = [];
  /** While true an end is done and its answer lost, however often it is asked for. */
  losesEndReplies = false;
  /** While true nothing can be asked. */
  isAway = false;
  /** While true a begin is done and its answer lost; its mark says so then. */
  losesBegins = false;
  /** While true another gateway goes on without marks. */
  othersKeepNoMarks = false;
  /** While true ends get lost on their way. */
  losesEnds = false;
  leaseMs = 10_000;
  /** What every begin is answered, when it is set. */
  answer: Begun | undefined;
  /** The time of these marks, which a test may move on. */
  ageMs = 0;
  readonly #marks = new Map<string, FakeMark>();

  async begin(beginning: Beginning): Promise<Begun> {
    this.begun.push(beginning);
    if (this.isAway) throw away();
    const begun = this.answer ?? this.#begin(beginning);
    if (this.losesBegins) {
      const mark = this.#marks.get(beginning.markId);
      if (mark) mark.state = 'TRIED';
      throw away();
    }
    return begun;
  }

  async end(ending: Ending): Promise<boolean> {
    const mayLackRow = ending.as.kind === 'STORE' && ending.as.askUntil !== undefined;
    if (this.isAway || this.losesEnds) {
      if (mayLackRow) return false;
      throw away();
    }
    this.ended.push(ending);
    const mark = this.#marks.get(ending.markId);
    if (mark?.owner !== ending.owner || mark.state !== 'EXECUTING') return false;
    if (this.othersKeepNoMarks && mayLackRow) return false;
    if (ending.as.kind === 'FORGET') this.#marks.delete(ending.markId);
    else if (ending.as.kind === 'LEAVE') mark.state = 'TRIED';
    else {
      mark.state = 'DONE';
      mark.done = { outcome: ending.as.outcome, answer: ending.as.answer, at: this.#now() };
    }
    if (this.losesEndReplies) throw away();
    return true;
  }

  async born(orderId: string): Promise<void> {
    if (this.isAway) throw away();
    this.births.push(orderId);
    const mark = this.#marks.get(orderId);
    if (mark?.done?.outcome !== 'REFUSED') return;
    mark.state = 'TRIED';
    delete mark.done;
  }

  async renew({ markId, owner }: Pick<Ending, 'markId' | 'owner'>): Promise<void> {
    if (this.isAway) throw away();
    this.renewed.push(markId);
    const mark = this.#marks.get(markId);
    if (mark?.owner === owner) mark.leaseEndsAt = this.#now() + this.leaseMs;
  }

  async changing(orderId: string): Promise<void> {
    if (this.isAway) throw away();
    this.changed.push(orderId);
  }

  async place(): Promise<Place> {
    return { state: 'GONE', peopleAhead: 0, retryAfterMs: 0 };
  }

  async lease(): Promise<{ tokens: number; retryAfterMs: number }> {
    return { tokens: 1, retryAfterMs: 0 };
  }

  /** As if another gateway had it. */
  claim(markId: string, fingerprint: string): void {
    this.#marks.set(markId, {
      fingerprint,
      owner: 'another',
      state: 'EXECUTING',
      leaseEndsAt: Number.POSITIVE_INFINITY,
    });
  }

  stateOf(markId: string): FakeMark['state'] | undefined {
    return this.#marks.get(markId)?.state;
  }

  #begin({ markId, fingerprint, owner, knownOnly }: Beginning): Begun {
    const mark = this.#marks.get(markId);
    const leaseEndsAt = this.#now() + this.leaseMs;
    if (mark === undefined) {
      if (knownOnly) return { kind: 'UNKNOWN' };
      this.#marks.set(markId, { fingerprint, owner, state: 'EXECUTING', leaseEndsAt });
      return { kind: 'GO', firstForMs: 3_600_000 };
    }
    if (mark.fingerprint !== fingerprint) return { kind: 'REUSED' };
    if (mark.done) return { kind: 'DONE', ...mark.done, ageMs: this.#now() - mark.done.at };
    if (mark.state === 'EXECUTING' && mark.leaseEndsAt > this.#now()) return { kind: 'IN_PROGRESS' };
    Object.assign(mark, { owner, state: 'EXECUTING', leaseEndsAt });
    return { kind: 'GO', firstForMs: 0 };
  }

  #now(): number {
    return performance.now() + this.ageMs;
  }
}

function away(): Fault {
  return new Fault('UNAVAILABLE', 'redis cannot be reached');
}
