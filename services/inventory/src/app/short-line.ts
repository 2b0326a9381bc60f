import type { Placement } from './placement.js';

/** Between two turns, unless a decision calls for one; twice as long after each turn that moved nobody. */
const TURN_EVERY_MS = 20;
const LONGEST_REST_MS = 160;
/** Decisions come in crowds, too: those that fall within so short a time call for one turn. */
const SOONEST_TURN_MS = 5;
/** A line without anybody in it stays for so long: whoever comes next knows that the sku was short a moment ago. */
const LINGER_MS = 1000;
const TAKE_AT_ONCE = 500;

/** What a turn came to. */
export interface Turn {
  /** Who has to wait for another turn, in order. */
  left: Placement[];
  /** Everybody was let in: the gate has units again. */
  open: boolean;
}

/**
 * Those who wait for one sku, first come first served. A turn takes up to 500 of them. The first comes at once, the next
 * 20 ms after the last at the earliest, so that a crowd that is told no shares its reads; a decision brings it forward.
 * While nothing moves the turns become rarer: asking again and again would only keep the deciders from deciding.
 */
export class ShortLine {
  private readonly queue: Placement[] = [];
  private wake: (() => void) | undefined;
  private stirred = false;
  private lastTurnMs = Number.NEGATIVE_INFINITY;
  private restMs = TURN_EVERY_MS;

  constructor(
    private readonly take: (placements: Placement[]) => Promise<Turn>,
    /** Called in the same tick in which the line is found to be of no more use: nobody may be pushed after it. */
    private readonly onEnd: () => void,
  ) {}

  get length(): number {
    return this.queue.length;
  }

  push(placement: Placement): void {
    this.queue.push(placement);
    if (this.queue.length === 1) this.wake?.();
  }

  /** Has the next turn at once, if somebody waits. */
  stir(): void {
    if (this.queue.length === 0) return;
    this.stirred = true;
    this.wake?.();
  }

  /** Serves until nobody came for a second, or until everybody was let in. */
  async serve(): Promise<void> {
    for (;;) {
      if (this.queue.length === 0) await this.rest(LINGER_MS);
      if (this.queue.length === 0) break;
      await this.restUntilDue();
      this.stirred = false;
      this.lastTurnMs = performance.now();
      const taken = this.queue.splice(0, TAKE_AT_ONCE).filter((placement) => !placement.answered);
      const { left, open } = await this.take(taken);
      this.queue.unshift(...left);
      this.restMs = left.length < taken.length ? TURN_EVERY_MS : Math.min(2 * this.restMs, LONGEST_REST_MS);
      if (open && this.queue.length === 0) break;
    }
    this.onEnd();
  }

  private async restUntilDue(): Promise<void> {
    for (;;) {
      const restMs = this.stirred || this.queue.length >= TAKE_AT_ONCE ? SOONEST_TURN_MS : this.restMs;
      const dueInMs = this.lastTurnMs + restMs - performance.now();
      if (dueInMs <= 0) return;
      await this.rest(dueInMs);
    }
  }

  private rest(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        this.wake = undefined;
        resolve();
      };
      const timer = setTimeout(wake, ms);
      this.wake = wake;
    });
  }
}
