import type { Logger } from './logger.js';

export interface TroubleOptions {
  readonly logger: Logger;
  /** What is said of it, and what when it is over. */
  readonly wrong: string;
  readonly well: string;
  /** How often it is said at most (10 s). */
  readonly everyMs?: number;
  /** Monotonic, in ms. */
  readonly now?: () => number;
}

/**
 * Something that may go wrong many times a second, as the log has it: a warning the first time, then at most one in ten
 * seconds with how many `times` it was since the last, and one line when it is well again.
 */
export class Trouble {
  readonly #options: Required<TroubleOptions>;
  #saidAt = Number.NEGATIVE_INFINITY;
  #times = 0;
  #isSaid = false;

  constructor(options: TroubleOptions) {
    this.#options = { everyMs: 10_000, now: () => performance.now(), ...options };
  }

  /** It went wrong once more; the facts are those of this time. */
  wrong(facts: object): void {
    const { logger, wrong, everyMs, now } = this.#options;
    this.#times += 1;
    if (now() - this.#saidAt < everyMs) return;
    logger.warn({ ...facts, times: this.#times }, wrong);
    this.#saidAt = now();
    this.#times = 0;
    this.#isSaid = true;
  }

  well(): void {
    if (!this.#isSaid) return;
    this.#isSaid = false;
    this.#options.logger.info(this.#options.well);
  }
}
