import { Fault } from '#libs/refusal/fault.js';

interface Waiter {
  readonly admit: () => void;
}

/**
 * A bounded number of permits with a bounded line before them, first come first served. It stands before the driver's
 * pool, whose own line is endless and knows no deadline of a single caller.
 */
export class Slots {
  readonly #waiters = new Set<Waiter>();
  #free: number;

  constructor(
    readonly size: number,
    readonly maxWaiting: number,
  ) {
    this.#free = size;
  }

  get waiting(): number {
    return this.#waiters.size;
  }

  get inUse(): number {
    return this.size - this.#free;
  }

  /** Takes a permit, or rejects with Fault BUSY: at once when the line is full, else when `timeoutMs` have passed. */
  take(timeoutMs: number): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1;
      return Promise.resolve();
    }
    if (this.#waiters.size >= this.maxWaiting) {
      return Promise.reject(new Fault('BUSY', 'too many are waiting for a database connection'));
    }
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiters.delete(waiter);
        reject(new Fault('BUSY', 'no database connection was free in time'));
      }, timeoutMs);
      const waiter: Waiter = {
        admit: () => {
          clearTimeout(timer);
          resolve();
        },
      };
      this.#waiters.add(waiter);
    });
  }

  /** Gives a permit back: to the first in line, if anyone waits. */
  give(): void {
    const [first] = this.#waiters;
    if (!first) {
      this.#free += 1;
      return;
    }
    this.#waiters.delete(first);
    first.admit();
  }
}
