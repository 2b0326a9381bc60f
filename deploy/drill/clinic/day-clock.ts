import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';

/** The minutes of a day that is run faster than it is. */
export class DayClock {
  readonly #over = new AbortController();

  constructor(
    /** When it is 08:00, in milliseconds since the epoch. */
    readonly startsAt: number,
    readonly minuteMs: number,
  ) {
    setMaxListeners(0, this.#over.signal); // Everybody waits for something.
  }

  at(minute: number): Date {
    return new Date(this.startsAt + minute * this.minuteMs);
  }

  /** The minute that it is now. */
  now(): number {
    return (Date.now() - this.startsAt) / this.minuteMs;
  }

  /** Resolves at that minute, at once when it is past, or when the day is over. */
  async until(minute: number): Promise<void> {
    const ms = this.startsAt + minute * this.minuteMs - Date.now();
    if (ms > 0) await pause(ms, undefined, { signal: this.#over.signal }).catch(() => {});
  }

  /** Lets nobody wait any longer for what was still to come. */
  end(): void {
    this.#over.abort();
  }

  /** As clocks of the clinic show it, `12:05`. */
  text(minute: number): string {
    const whole = 8 * 60 + Math.floor(minute);
    return [Math.floor(whole / 60), whole % 60].map((part) => String(part).padStart(2, '0')).join(':');
  }
}
