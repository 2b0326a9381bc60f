import type { Placement } from './placement.js';

const TICK_MS = 20;

/** One timer for all tries: calls `onDue` for each that has no answer when its time comes, within 20 ms. */
export class Deadlines {
  private readonly ticks = new Map<number, Placement[]>();
  private timer: NodeJS.Timeout | undefined;
  private last = tickOf(performance.now());

  constructor(private readonly onDue: (placement: Placement) => void) {}

  watch(placement: Placement): void {
    if (!this.timer) {
      this.last = tickOf(performance.now());
      this.timer = setInterval(() => this.advance(), TICK_MS);
    }
    const tick = Math.max(tickOf(placement.answerByMs), this.last + 1);
    const due = this.ticks.get(tick);
    if (due) due.push(placement);
    else this.ticks.set(tick, [placement]);
  }

  close(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private advance(): void {
    const now = tickOf(performance.now());
    while (this.last < now) {
      this.last += 1;
      for (const placement of this.ticks.get(this.last) ?? []) if (!placement.answered) this.onDue(placement);
      this.ticks.delete(this.last);
    }
    if (this.ticks.size === 0) this.close();
  }
}

function tickOf(ms: number): number {
  return Math.floor(ms / TICK_MS);
}
