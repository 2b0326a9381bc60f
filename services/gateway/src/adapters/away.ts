import { setTimeout as after } from 'node:timers';
import type { Counter } from 'prom-client';
import { Fault } from '#libs/refusal/fault.js';
import type { Logger } from '#libs/runtime/logger.js';
import type { Metrics } from '#libs/runtime/metrics.js';

export interface AwayOptions {
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** What one call to Redis may take (80). */
  readonly callMs?: number;
  /** How long it counts as away after a call that failed, give or take half (250). */
  readonly awayMs?: number;
  /** The clock, in milliseconds. */
  readonly now?: () => number;
}

/** Redis that is slow now and then is told once in this time, with how often it was; what lasts is told in any case. */
const TOLD_EVERY_MS = 60_000;
const LASTS_MS = 5_000;
const ERRORS_LOGGED_EVERY_MS = 10_000;

/**
 * Whether Redis is there. After a call that failed or took too long it counts as away, and nobody asks; when that time is
 * over one batch finds out for all. Everybody who found it away is counted.
 */
export class Away {
  readonly #logger: Logger;
  readonly #found: Counter;
  readonly #callMs: number;
  readonly #awayMs: number;
  readonly #now: () => number;
  // One fault for all who find it away: refusing must be cheapest when it happens most.
  readonly #fault = new Fault('UNAVAILABLE', 'The marks and limits cannot be reached');
  #since: number | undefined;
  #until = 0;
  /** How often it went away since that was told. */
  #times = 0;
  #isTold = false;
  #toldAt = Number.NEGATIVE_INFINITY;
  #errorLoggedAt = Number.NEGATIVE_INFINITY;

  constructor({ logger, metrics, callMs = 80, awayMs = 250, now = () => performance.now() }: AwayOptions) {
    this.#logger = logger;
    this.#found = metrics.counter('requests_away_total', 'Calls that found marks and limits away', ['call']);
    this.#callMs = callMs;
    this.#awayMs = awayMs;
    this.#now = now;
  }

  /** Away, and nobody is to find out yet. */
  get isKnown(): boolean {
    return this.#since !== undefined && this.#now() < this.#until;
  }

  /** The fault for one who comes while it is known. */
  refusal(call: string, items = 1): Fault {
    this.count(call, items);
    return this.#fault;
  }

  /** Counts who found it away. */
  count(call: string, items: number): void {
    if (items > 0) this.#found.inc({ call }, items);
  }

  /**
   * Runs one call for so many items, 0 where the caller counts them. Rejects with Fault UNAVAILABLE, at once while Redis is known to be away. `lost` is
   * told of a call that was sent and got no answer: it may have run, or may still run.
   */
  async run<Result>(call: string, items: number, work: () => Promise<Result>, lost?: () => void): Promise<Result> {
    if (this.isKnown) throw this.refusal(call, items);
    if (this.#since !== undefined) this.#wait();
    try {
      const result = await this.#withinTime(work());
      this.#isBack();
      return result;
    } catch (error) {
      lost?.();
      throw this.#failed(error, call, items);
    }
  }

  #failed(error: unknown, call: string, items: number): Fault {
    this.count(call, items);
    if (error instanceof Fault) {
      this.#isAway(error);
      return error;
    }
    const fault = new Fault('UNAVAILABLE', this.#fault.message, { cause: error });
    this.#logError(fault, call);
    return fault;
  }

  #isAway(error: Fault): void {
    this.#wait();
    const now = this.#now();
    if (this.#since === undefined) this.#times += 1;
    this.#since ??= now;
    if (this.#isTold || (now - this.#toldAt < TOLD_EVERY_MS && now - this.#since < LASTS_MS)) return;
    this.#logger.warn({ err: error, times: this.#times }, 'marks and limits are away: each request goes by itself');
    this.#isTold = true;
    this.#toldAt = now;
    this.#times = 0;
  }

  #isBack(): void {
    if (this.#since === undefined) return;
    const awayMs = Math.round(this.#now() - this.#since);
    this.#since = undefined;
    if (!this.#isTold) return;
    this.#isTold = false;
    this.#logger.warn({ awayMs }, 'marks and limits are back');
  }

  // A script that fails by itself says nothing about Redis: the next batch is tried. What Redis gave as the error has all
  // arguments of the batch on it; as a cause it is logged by its message alone.
  #logError(error: Fault, call: string): void {
    const now = this.#now();
    if (now - this.#errorLoggedAt < ERRORS_LOGGED_EVERY_MS) return;
    this.#errorLoggedAt = now;
    this.#logger.error({ err: error, call }, 'a script of marks and limits failed');
  }

  #wait(): void {
    this.#until = this.#now() + this.#awayMs * (0.5 + Math.random());
  }

  #withinTime<Result>(work: Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      // When this process was held up itself, the reply may be here already: it is read before the time is called over.
      const timer = after(() => setImmediate(reject, this.#tooLate()), this.#callMs);
      work.then(resolve, reject).finally(() => clearTimeout(timer));
    });
  }

  #tooLate(): Fault {
    return new Fault('UNAVAILABLE', `${this.#fault.message} within ${this.#callMs} ms`);
  }
}
