import CircuitBreaker from 'opossum';
import { Fault } from '#libs/refusal/fault.js';
import type { Logger } from '#libs/runtime/logger.js';
import type { Metrics } from '#libs/runtime/metrics.js';
import type { Breaker, Callee } from '../app/ports.js';

/** So many calls within a second say something about the next ones; one slow call of an idle process does not. */
const LEAST_CALLS = 3;
/** Short, so that what went well before does not keep it closed for long. */
const WINDOW_MS = 1000;
const BUCKETS = 10;
/** Processes that opened together do not probe together. */
const JITTER = 0.25;

const STATES = { CLOSED: 0, HALF_OPEN: 1, OPEN: 2 } as const;

export interface BreakerOptions {
  /** What is called, in logs and metrics. */
  readonly callee: Callee;
  /** Resolves when calls lead somewhere again. */
  readonly probe: () => Promise<unknown>;
  /** Between two probes, give or take a quarter. */
  readonly resetMs: number;
  readonly metrics: Metrics;
  readonly logger: Logger;
}

type Call = () => Promise<unknown>;

/**
 * A breaker on opossum, as few of whose parts are used as can be: it counts, opens, and says when to probe.
 *
 * closed -> open: more than half of at least three calls of the last second failed.
 * open -> half open: after the reset time; in the same tick its one call is taken by the probe.
 * half open -> closed or open: as the probe ends, or a call that began before it opened.
 *
 * Only a Fault UNAVAILABLE or BUSY is a failure: it says that the callee is away, slow or full. Whatever else a call
 * rejects with is an answer.
 */
export class OpossumBreaker implements Breaker {
  readonly #breaker: CircuitBreaker<[Call], unknown>;
  readonly #open: Fault;
  #openSinceMs: number | undefined;
  #why: unknown;
  #onClosed: (() => void)[] = [];

  constructor({ callee, probe, resetMs, metrics, logger }: BreakerOptions) {
    this.#open = new Fault('UNAVAILABLE', `the breaker of the ${callee} is open`);
    const jittered = (): number => resetMs * (1 - JITTER + 2 * JITTER * Math.random());
    const options = {
      name: callee,
      // A deadline of its own would not stop the call, and its error would be counted for a call that goes on.
      timeout: false as const,
      volumeThreshold: LEAST_CALLS,
      errorThresholdPercentage: 50,
      rollingCountTimeout: WINDOW_MS,
      rollingCountBuckets: BUCKETS,
      rollingPercentilesEnabled: false,
      enableSnapshots: false,
      resetTimeout: jittered(),
      errorFilter: (error: unknown) => !isFailure(error),
    };
    this.#breaker = new CircuitBreaker((call: Call) => call(), options);
    this.#breaker.on('failure', (error) => {
      this.#why = error;
    });
    this.#breaker.on('open', () => {
      if (this.#openSinceMs !== undefined) return;
      this.#openSinceMs = performance.now();
      logger.warn({ callee, err: this.#why }, 'breaker opened');
    });
    this.#breaker.on('halfOpen', () => {
      options.resetTimeout = jittered();
      this.#breaker.fire(probe).catch((error: unknown) => logger.debug({ callee, err: error }, 'probe failed'));
    });
    this.#breaker.on('close', () => {
      const openMs = Math.round(performance.now() - (this.#openSinceMs ?? 0));
      this.#openSinceMs = undefined;
      logger.info({ callee, openMs }, 'breaker closed');
      for (const listener of this.#onClosed) listener();
    });
    const gauge = metrics.gauge('breaker_state', 'Whether calls are made: 0 closed, 1 half open, 2 open', ['callee']);
    const show = (): void => gauge.set({ callee }, STATES[this.state]);
    for (const event of ['open', 'halfOpen', 'close'] as const) this.#breaker.on(event as 'open', show);
    show();
  }

  get closed(): boolean {
    return this.#breaker.closed;
  }

  get state(): Breaker['state'] {
    if (this.#breaker.closed) return 'CLOSED';
    return this.#breaker.halfOpen ? 'HALF_OPEN' : 'OPEN';
  }

  get openSinceMs(): number | undefined {
    return this.#openSinceMs;
  }

  watch<Result>(call: () => Promise<Result>): Promise<Result> {
    if (!this.#breaker.closed) return Promise.reject(this.#open);
    return this.#breaker.fire(call) as Promise<Result>;
  }

  open(why: Error): void {
    if (!this.#breaker.closed) return;
    this.#why = why;
    this.#breaker.open();
  }

  onClosed(listener: () => void): void {
    this.#onClosed.push(listener);
  }

  close(): void {
    this.#onClosed = [];
    this.#breaker.shutdown();
  }
}

function isFailure(error: unknown): boolean {
  return error instanceof Fault && (error.reason === 'UNAVAILABLE' || error.reason === 'BUSY');
}
