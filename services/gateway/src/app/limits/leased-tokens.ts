import type { Lease, Limited, Requests } from '../ports.js';
import { DenyCache } from './deny-cache.js';
import { RecentMap } from './recent-map.js';
import { type BucketRate, partOf, TokenBuckets } from './token-buckets.js';

/** A portion that is not spent by then is given up: the next one is asked for. */
const keptMs = 1_000;
/** After a failed call nobody waits for another one for so long. */
const awayMs = 100;
const accountsMax = 10_000;

export interface LeasedTokensOptions {
  limit: Lease['limit'];
  rate: BucketRate;
  /** Absent: this process is alone, and its own buckets hold. */
  requests: Pick<Requests, 'lease' | 'gateways'> | undefined;
  /** Hears of each decision that this process made by itself because Redis was away. */
  onAlone: () => void;
  /** Milliseconds that never go back (performance.now). */
  now: () => number;
}

/** The portion of one id, and who waits for the next. */
interface Account {
  tokens: number;
  until: number;
  waiting: number;
  asking: Promise<Portion> | undefined;
}

type Portion = 'SOME' | 'AWAY' | Limited;

/**
 * Spends tokens of buckets that all gateways share without a round trip for each: portions of a twentieth of a second are
 * leased, and whoever was refused is refused here until their time. While Redis is away this process gives out its part
 * of the rate by itself.
 */
export class LeasedTokens {
  readonly #options: LeasedTokensOptions;
  readonly #portion: number;
  readonly #accounts = new RecentMap<string, Account>(accountsMax);
  readonly #denied: DenyCache;
  readonly #alone = new TokenBuckets<string>();
  #awayUntil = 0;

  constructor(options: LeasedTokensOptions) {
    this.#options = options;
    this.#portion = Math.max(1, Math.floor(options.rate.perSecond / 20));
    this.#denied = new DenyCache({ now: options.now });
  }

  /** Spends one token of the id: undefined when there was one. Mostly at once. Never rejects. */
  take(id: string): Promise<Limited | undefined> | Limited | undefined {
    const { requests, now } = this.#options;
    if (requests === undefined) return this.#takeAlone(id, 1);
    const account = this.#accounts.get(id);
    if (account !== undefined && account.tokens > 0 && now() < account.until) {
      account.tokens -= 1;
      return undefined;
    }
    const denied = this.#denied.of(id);
    if (denied !== undefined) return denied;
    return now() < this.#awayUntil ? this.#takeWhileAway(id, requests) : this.#takeLeased(id, requests);
  }

  async #takeLeased(id: string, requests: Pick<Requests, 'lease' | 'gateways'>): Promise<Limited | undefined> {
    const account = this.#accounts.get(id) ?? { tokens: 0, until: 0, waiting: 0, asking: undefined };
    this.#accounts.set(id, account);
    for (;;) {
      account.waiting += 1;
      account.asking ??= this.#ask(id, account, requests);
      const portion = await account.asking;
      account.waiting -= 1;
      if (portion === 'AWAY') return this.#takeWhileAway(id, requests);
      if (portion !== 'SOME') return portion;
      if (account.tokens > 0) {
        account.tokens -= 1;
        return undefined;
      }
    }
  }

  async #ask(id: string, account: Account, requests: Pick<Requests, 'lease'>): Promise<Portion> {
    const { limit, rate, now } = this.#options;
    const { perSecond, burst } = rate;
    // A moment, in which all who come with the same message are counted.
    await undefined;
    const wanted = Math.min(Math.max(this.#portion, account.waiting), Math.max(1, Math.floor(burst)));
    try {
      const { tokens, retryAfterMs } = await requests.lease({ limit, id, perSecond, burst, wanted });
      account.tokens = tokens;
      account.until = now() + keptMs;
      if (tokens > 0) return 'SOME';
      const limited: Limited = {
        kind: 'LIMITED',
        limit,
        perSecond,
        burst,
        retryAfterMs: Math.max(1, Math.ceil(retryAfterMs)),
      };
      this.#denied.note(id, limited);
      return limited;
    } catch {
      this.#awayUntil = now() + awayMs;
      return 'AWAY';
    } finally {
      account.asking = undefined;
    }
  }

  #takeWhileAway(id: string, { gateways }: Pick<Requests, 'gateways'>): Limited | undefined {
    this.#options.onAlone();
    return this.#takeAlone(id, gateways);
  }

  #takeAlone(id: string, gateways: number): Limited | undefined {
    const { limit, rate, now } = this.#options;
    const part = partOf(rate, gateways);
    const at = now();
    const waitMs = this.#alone.waitMs(id, part, at);
    if (waitMs > 0) return { kind: 'LIMITED', limit, ...rate, retryAfterMs: Math.ceil(waitMs) };
    this.#alone.spend(id, part, at);
    return undefined;
  }
}
