import { Lane } from '#libs/lane/lane.js';
import type { Placement } from './placement.js';
import { placementQueue } from './placement-queue.js';
import type { Breaker, ClaimStream, OpenBreaker } from './ports.js';
import { ShardBreaker } from './shard-breaker.js';

export interface StoreClaimsOptions {
  stream: ClaimStream;
  openBreaker: OpenBreaker;
  shards: number;
}

/**
 * Stores claims that the gate let in, one message a batch and shard, as long as the stream's breaker lets calls through.
 * Rejects when the stream did not say that it has them: it may have them all the same.
 */
export class StoreClaims {
  private readonly shards: ShardBreaker;
  private readonly lanes: Lane<Placement, undefined>[];

  constructor({ stream, openBreaker, shards }: StoreClaimsOptions) {
    this.shards = new ShardBreaker({ callee: 'stream', probe: (shard) => stream.probe(shard), openBreaker });
    this.lanes = Array.from({ length: shards }, (_, shard) => {
      const run = async (batch: Placement[]): Promise<undefined[]> => {
        await this.shards.watch(shard, () => stream.store(shard, batch));
        return batch.map(() => undefined);
      };
      return new Lane({ name: `stream-${shard}`, run, ...placementQueue });
    });
  }

  get breaker(): Breaker {
    return this.shards.breaker;
  }

  async store(placement: Placement): Promise<void> {
    await this.lanes[placement.shard]?.add(placement);
    placement.storedAtMs = performance.now();
  }

  /** Claims of this shard are stored and nobody decides them: the next ones go another way. */
  stalled(shard: number): void {
    this.shards.open(shard, new Error(`nobody decides the claims of shard ${shard}`));
  }

  async drain(): Promise<void> {
    await Promise.all(this.lanes.map((lane) => lane.drain()));
    this.breaker.close();
  }
}
