import type { Fault } from '#libs/refusal/fault.js';
import type { Logger } from '#libs/runtime/logger.js';
import type { Metrics } from '#libs/runtime/metrics.js';
import { LeasedTokens } from './leased-tokens.js';
import type { LimitedFaults } from './limited-faults.js';
import type { Lease, Limited, Requests } from './ports.js';
import type { BucketRate } from './token-buckets.js';

/** Undefined, at once or as what the promise resolves with: go on. Else the fault to answer. */
export type Toll = Promise<Fault | undefined> | Fault | undefined;

export interface CallLimitsOptions {
  /** Absent: this gateway is the only one. */
  requests: Pick<Requests, 'lease' | 'gateways'> | undefined;
  /** Of what one address asks. */
  caller: BucketRate;
  /** Of what one user reads. */
  user: BucketRate;
  faults: LimitedFaults;
  logger: Logger;
  metrics: Pick<Metrics, 'counter'>;
  /** Milliseconds that never go back (performance.now). */
  now?: () => number;
}

/** What each call pays: a token of the caller, and for reads one of the user. Changes pay for the user where they begin. */
export class CallLimits {
  readonly #faults: LimitedFaults;
  readonly #logger: Logger;
  readonly #callers: LeasedTokens;
  readonly #users: LeasedTokens;
  #isAway = false;

  constructor({ requests, caller, user, faults, logger, metrics, now }: CallLimitsOptions) {
    this.#faults = faults;
    this.#logger = logger;
    const alone = metrics.counter(
      'limits_alone_total',
      'Decisions on limits that this gateway made by itself because Redis was away.',
      ['limit'],
    );
    const tokensOf = (limit: Lease['limit'], rate: BucketRate): LeasedTokens => {
      const counter = alone.labels({ limit });
      const onAlone = (): void => counter.inc();
      const onReached = (isReached: boolean): void => this.#note(isReached);
      return new LeasedTokens({
        limit,
        rate,
        requests,
        onReached,
        onAlone,
        now: now ?? (() => performance.now()),
      });
    };
    this.#callers = tokensOf('CALLER', caller);
    this.#users = tokensOf('USER', user);
  }

  /** `caller` is the address of whoever called, without a port. */
  spendCaller(caller: string): Toll {
    return this.#told(this.#callers.take(caller));
  }

  spendUser(userId: string): Toll {
    return this.#told(this.#users.take(userId));
  }

  #told(taken: Promise<Limited | undefined> | Limited | undefined): Toll {
    if (taken === undefined) return undefined;
    if ('then' in taken) return taken.then((limited) => limited && this.#faults.faultOf(limited));
    return this.#faults.faultOf(taken);
  }

  /** One line when Redis goes, and one when it is back, however many calls there are. */
  #note(isReached: boolean): void {
    if (isReached !== this.#isAway) return;
    this.#isAway = !isReached;
    if (isReached) this.#logger.info('limits of callers and users are those of all gateways again');
    else this.#logger.warn('redis is away: this gateway limits callers and users by itself');
  }
}
