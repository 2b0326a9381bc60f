const tickMs = 25;

interface Tick {
  readonly passed: Promise<undefined>;
  readonly pass: () => void;
}

/**
 * Waits of many on one timer. All that are due at a tick go on together, so that what they ask for next goes in one batch, and
 * share one promise, so that waits which somebody gave up cost nothing; while nobody waits there is no timer.
 */
export class SharedTimer {
  /** By their number since the process began. */
  readonly #ticks = new Map<number, Tick>();
  #timer: NodeJS.Timeout | undefined;

  /** Resolves at `dueAt` of performance.now(), or up to two ticks later. */
  until(dueAt: number): Promise<undefined> {
    const number = Math.ceil(dueAt / tickMs);
    let tick = this.#ticks.get(number);
    if (tick === undefined) {
      tick = newTick();
      this.#ticks.set(number, tick);
      this.#timer ??= setInterval(() => this.#pass(), tickMs);
    }
    return tick.passed;
  }

  #pass(): void {
    const now = performance.now();
    for (const [number, { pass }] of this.#ticks) {
      if (number * tickMs > now) continue;
      this.#ticks.delete(number);
      pass();
    }
    if (this.#ticks.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

function newTick(): Tick {
  let pass = (): void => {};
  const passed = new Promise<undefined>((resolve) => {
    pass = () => resolve(undefined);
  });
  return { passed, pass };
}
