import { setTimeout as pause } from 'node:timers/promises';
import { isServed } from './open-loop.js';
import type { ItemEnded } from './stream-load.js';

/** An item that was told HELD: when it was meant to be sent and when it was told, in milliseconds of `performance.now()`. */
export interface Yes {
  sentAt: number;
  at: number;
}

const lookEveryMs = 10;

/** An open loop without an end: so many items a second, whatever becomes of those before, until it is told to stop. */
export class SteadyFlow {
  /** In the order in which they were told. */
  readonly held: Yes[] = [];
  readonly outcomes: Record<string, number> = {};
  readonly #begun = performance.now();
  #next = 0;
  #ended = 0;
  #isOpen = true;

  /** Sends the first at once; those that are due together go together. */
  constructor(
    private readonly perSecond: number,
    private readonly send: (from: number, to: number) => void,
  ) {
    this.#turn();
  }

  get sent(): number {
    return this.#next;
  }

  /** Items that were told HELD or PENDING. */
  get promised(): number {
    return Object.entries(this.outcomes).reduce((sum, [outcome, n]) => sum + (isServed(outcome) ? n : 0), 0);
  }

  readonly ended: ItemEnded = (item, outcome) => {
    this.#ended += 1;
    this.outcomes[outcome] = (this.outcomes[outcome] ?? 0) + 1;
    if (outcome === 'HELD') this.held.push({ sentAt: this.#dueAt(item), at: performance.now() });
  };

  /** Sends no more, and resolves when all have ended or the time is up. */
  async stop(patienceMs: number): Promise<void> {
    this.#isOpen = false;
    const until = performance.now() + patienceMs;
    while (this.#ended < this.#next && performance.now() < until) await pause(lookEveryMs);
  }

  #turn(): void {
    if (!this.#isOpen) return;
    const from = this.#next;
    this.#next = Math.floor(((performance.now() - this.#begun) * this.perSecond) / 1000) + 1;
    if (this.#next > from) this.send(from, this.#next);
    setTimeout(() => this.#turn(), 1);
  }

  #dueAt(item: number): number {
    return this.#begun + (item * 1000) / this.perSecond;
  }
}

/** From an instant until the first who came after it was told HELD; infinite when nobody was. */
export function firstHeldMs(held: readonly Yes[], after: number): number {
  const first = held.find(({ sentAt }) => sentAt >= after);
  return first === undefined ? Number.POSITIVE_INFINITY : first.at - after;
}

/** The longest time within a stretch in which nobody was told HELD. */
export function longestGapMs(held: readonly Yes[], from: number, to: number): number {
  const instants = [from, ...held.map(({ at }) => at).filter((at) => at > from && at < to), to];
  return Math.max(...instants.slice(1).map((at, before) => at - (instants[before] ?? at)));
}
