import type { ItemEnded } from './stream-load.js';

/** So many items a second, evenly, for so long. */
export interface Phase {
  perSecond: number;
  ms: number;
}

/** What became of the items that were meant to be sent in one stretch of time. */
export interface Stretch {
  /** From the start of the run. */
  fromMs: number;
  toMs: number;
  sent: number;
  /** How many ended with HELD or PENDING, or with what else the loop was told to count. */
  served: number;
  /** Of all that were sent; of a closed loop, of those that warmed up too. */
  outcomes: Record<string, number>;
  /** Of those that were served; 0 when there are none. */
  servedP50Ms: number;
  servedP99Ms: number;
  /** When the last answer to any of them arrived, from the start of the run. */
  lastAnswerMs: number;
}

export function isServed(outcome: string): boolean {
  return outcome === 'HELD' || outcome === 'PENDING';
}

export function latenciesOf(served: number[]): { servedP50Ms: number; servedP99Ms: number } {
  served.sort((a, b) => a - b);
  const quantile = (share: number): number => served[Math.floor(served.length * share)] ?? 0;
  return { servedP50Ms: quantile(0.5), servedP99Ms: quantile(0.99) };
}

const unanswered = 'no answer';

/**
 * An open loop: each item has a time at which it is meant to be sent, whatever became of those before it, and its latency
 * counts from there, so that a system that stalls is charged for all who would have come meanwhile.
 */
export class OpenLoop {
  readonly #intendedMs: Float64Array;
  readonly #latencyMs: Float64Array;
  readonly #endedMs: Float64Array;
  readonly #outcomes: (string | undefined)[];
  #begun = 0;
  #next = 0;
  #ended = 0;
  readonly #counts: (outcome: string) => boolean;
  #whenAllEnded: (() => void) | undefined;

  /** `counts` says which outcomes are what somebody came for. */
  constructor(phases: readonly Phase[], counts = isServed) {
    this.#counts = counts;
    this.#intendedMs = intendedTimes(phases);
    this.#latencyMs = new Float64Array(this.items);
    this.#endedMs = new Float64Array(this.items);
    this.#outcomes = new Array(this.items);
  }

  get items(): number {
    return this.#intendedMs.length;
  }

  /** Sends every item in its time; those that are due at once go together. Resolves when all have ended, or `drainMs` after the last. */
  run(send: (from: number, to: number) => void, drainMs: number): Promise<void> {
    return new Promise((resolve) => {
      let patience: NodeJS.Timeout | undefined;
      this.#whenAllEnded = () => {
        clearTimeout(patience);
        resolve();
      };
      this.#begun = performance.now();
      const turn = (): void => {
        const from = this.#next;
        this.#next = this.#dueBy(performance.now() - this.#begun);
        if (this.#next === this.items) patience = setTimeout(resolve, drainMs);
        if (this.#next > from) send(from, this.#next);
        if (this.#next < this.items) setTimeout(turn, 1);
      };
      turn();
    });
  }

  readonly end: ItemEnded = (item, outcome) => {
    if (this.#outcomes[item] !== undefined) return;
    this.#outcomes[item] = outcome;
    const endedMs = performance.now() - this.#begun;
    this.#endedMs[item] = endedMs;
    this.#latencyMs[item] = endedMs - (this.#intendedMs[item] ?? 0);
    this.#ended += 1;
    if (this.#ended === this.items) this.#whenAllEnded?.();
  };

  stretch(fromMs: number, toMs: number): Stretch {
    const outcomes: Record<string, number> = {};
    const served: number[] = [];
    const [from, to] = [this.#dueBy(fromMs, true), this.#dueBy(toMs, true)];
    for (let item = from; item < to; item += 1) {
      const outcome = this.#outcomes[item] ?? unanswered;
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      if (this.#counts(outcome)) served.push(this.#latencyMs[item] ?? 0);
    }
    const lastAnswerMs = this.#endedMs.subarray(from, to).reduce((last, at) => Math.max(last, at), 0);
    return { fromMs, toMs, sent: to - from, served: served.length, outcomes, ...latenciesOf(served), lastAnswerMs };
  }

  /** How many are meant to be sent up to an instant, or before it. */
  #dueBy(ms: number, before = false): number {
    let [low, high] = [0, this.items];
    while (low < high) {
      const middle = (low + high) >> 1;
      const intended = this.#intendedMs[middle] ?? 0;
      if (before ? intended < ms : intended <= ms) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function intendedTimes(phases: readonly Phase[]): Float64Array {
  const times: number[] = [];
  let begins = 0;
  for (const { perSecond, ms } of phases) {
    const count = Math.round((perSecond * ms) / 1000);
    for (let n = 0; n < count; n += 1) times.push(begins + (n * ms) / count);
    begins += ms;
  }
  return Float64Array.from(times);
}
