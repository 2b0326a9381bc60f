import { Fault } from '#libs/refusal/fault.js';

interface Waiter {
  readonly admit: () => void;
}

/** A bounded number of permits with a bounded line before them, first come first served. */
export class Slots {
  readonly #waiters = new Set<Waiter>();
  #free: number;

  constructor(
    readonly size: number,
    readonly maxWaiting: number,
    /** What a permit is for, as faults call it: `database connection`. */
    private readonly thing: string,
  ) {
    this.#free = size;
  }

  get waiting(): number {
    return this.#waiters.size;
  }

  get inUse(): number {
    return this.size - this.#free;
  }

  /**
   * Takes a permit, or rejects with Fault BUSY: at once when the line is full, else when `timeoutMs` have passed; with CANCELLED when
   * the signal aborts before.
   */
  take(timeoutMs: number, signal?: AbortSignal): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1;
      return Promise.resolve();
    }
    if (this.#waiters.size >= this.maxWaiting) {
      return Promise.reject(new Fault('BUSY', `too many are waiting for a ${this.thing}`));
    }
    return new Promise((resolve, reject) => {
      const leave = (fault?: Fault): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', giveUp);
        this.#waiters.delete(waiter);
        if (fault) reject(fault);
        else resolve();
      };
      const giveUp = (): void => leave(new Fault('CANCELLED', 'The call was given up', { cause: signal?.reason }));
      const timer = setTimeout(() => leave(new Fault('BUSY', `no ${this.thing} was free in time`)), timeoutMs);
      const waiter: Waiter = { admit: () => leave() };
      signal?.addEventListener('abort', giveUp);
      this.#waiters.add(waiter);
    });
  }

  /** Gives a permit back: to the first in line, if anyone waits. */
  give(): void {
    const [first] = this.#waiters;
    if (first) first.admit();
    else this.#free += 1;
  }
}
