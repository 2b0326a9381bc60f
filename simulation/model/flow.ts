/** Where a call goes. WIRE: to another process of ours. OWN: nowhere, it only lets others have a turn. */
export type Part = 'REDIS' | 'LEDGER' | 'STREAM' | 'WIRE' | 'OWN';

/** One step of a process: a call that happens at once when it happens, or an answer that is waited for. */
export interface Call {
  readonly part: Part;
  readonly run?: () => unknown;
  readonly answer?: Answer<unknown>;
}

/**
 * What a process does, as a generator that stops at every call. Between any two steps others move, time passes, or the
 * process dies: then nobody resumes it. A call without a reply is thrown into it, whether or not it was carried out.
 */
export type Flow<Result = void> = Generator<Call, Result, unknown>;

/** Thrown into a flow whose call got no reply. */
export const noReply: Error = Object.freeze(new Error('no reply'));

export function* ask<Result>(part: Part, run: () => Result): Flow<Result> {
  return (yield { part, run }) as Result;
}

/** Waits for an answer of another flow. Its reply may be lost when the other one is another process. */
export function* wait<Result>(answer: Answer<Result>): Flow<Result> {
  return (yield { part: answer.part, answer: answer as Answer<unknown> }) as Result;
}

/** Something that is said once, to whoever waits for it. */
export class Answer<Result> {
  isSaid = false;
  #said: Result | undefined;
  #isLost = false;
  #waiters: (() => void)[] = [];

  constructor(readonly part: 'WIRE' | 'OWN') {}

  say(result: Result): void {
    if (this.isSaid) return;
    this.#said = result;
    this.#end();
  }

  /** Nobody will say it any more. */
  lose(): void {
    if (this.isSaid) return;
    this.#isLost = true;
    this.#end();
  }

  whenSaid(wake: () => void): void {
    if (this.isSaid) wake();
    else this.#waiters.push(wake);
  }

  /** Throws when it was lost. */
  read(): Result {
    if (this.#isLost) throw noReply;
    return this.#said as Result;
  }

  #end(): void {
    this.isSaid = true;
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const wake of waiters) wake();
  }
}
