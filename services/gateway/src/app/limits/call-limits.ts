import type { Fault } from '#libs/refusal/fault.js';
import type { Metrics } from '#libs/runtime/metrics.js';
import type { Lease, Limited, Requests } from '../ports.js';
import { LeasedTokens } from './leased-tokens.js';
import type { LimitedFaults } from './limited-faults.js';
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
  metrics: Pick<Metrics, 'counter'>;
  /** Milliseconds that never go back (performance.now). */
  now?: () => number;
}

/** What each call pays: a token of the caller, and for reads one of the user. Changes pay for the user where they begin. */
export class CallLimits {
  readonly #faults: LimitedFaults;
  readonly #callers: LeasedTokens;
  readonly #users: LeasedTokens;

  constructor({ requests, caller, user, faults, metrics, now }: CallLimitsOptions) {
    this.#faults = faults;
    const alone = metrics.counter(
      'limits_alone_total',
      'Decisions on limits that this gateway made by itself because Redis was away.',
      ['limit'],
    );
    const tokensOf = (limit: Lease['limit'], rate: BucketRate): LeasedTokens => {
      const counter = alone.labels({ limit });
      const onAlone = (): void => counter.inc();
      return new LeasedTokens({
        limit,
        rate,
        requests,
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
}
