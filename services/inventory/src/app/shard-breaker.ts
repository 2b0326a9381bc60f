import type { Breaker, Callee, OpenBreaker } from './ports.js';

export interface ShardBreakerOptions {
  callee: Callee;
  /** Resolves when calls for this shard lead somewhere. */
  probe(shard: number): Promise<unknown>;
  openBreaker: OpenBreaker;
}

/** One breaker for a callee with many shards. It closes when every shard that was in trouble is well again. */
export class ShardBreaker {
  readonly breaker: Breaker;
  private readonly inTrouble = new Set<number>();

  constructor({ callee, probe, openBreaker }: ShardBreakerOptions) {
    this.breaker = openBreaker(callee, () => Promise.all([...this.inTrouble].map(probe)));
    this.breaker.onClosed(() => this.inTrouble.clear());
  }

  /** See Breaker.watch. */
  watch<Result>(shard: number, call: () => Promise<Result>): Promise<Result> {
    return this.breaker.watch(async () => {
      try {
        return await call();
      } catch (error) {
        this.inTrouble.add(shard);
        throw error;
      }
    });
  }

  /** It is known otherwise that calls for this shard lead nowhere. */
  open(shard: number, why: Error): void {
    this.inTrouble.add(shard);
    this.breaker.open(why);
  }
}
