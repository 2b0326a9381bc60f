import { Lane } from '#libs/lane/lane.js';
import type { SkuStock } from '#libs/ledger/rows.js';
import type { Claim, Placement } from './placement.js';
import { placementQueue } from './placement-queue.js';
import type { Breaker, Gate, GateVerdict, OpenBreaker } from './ports.js';
import { ShardBreaker } from './shard-breaker.js';
import type { SyncGates } from './sync-gates.js';

export interface PassGateOptions {
  gate: Gate;
  syncGates: Pick<SyncGates, 'set'>;
  openBreaker: OpenBreaker;
  shards: number;
}

/**
 * Asks the gate, in one batch a shard with whoever arrives meanwhile, as long as its breaker lets calls through. Rejects
 * when the gate did not answer: the outcome is unknown then.
 */
export class PassGate {
  private readonly shards: ShardBreaker;
  private readonly lanes: Lane<Placement, GateVerdict>[];
  private readonly promiseLanes: Lane<Placement, undefined>[];

  constructor(private readonly options: PassGateOptions) {
    const { gate, openBreaker, shards } = options;
    // The script that orders meet, without an order.
    this.shards = new ShardBreaker({ callee: 'gate', probe: (shard) => gate.place(shard, []), openBreaker });
    this.lanes = Array.from({ length: shards }, (_, shard) => {
      const run = (batch: Placement[]): Promise<GateVerdict[]> =>
        this.shards.watch(shard, () => gate.place(shard, batch.map(claimOf)));
      return new Lane({ name: `gate-${shard}`, run, ...placementQueue });
    });
    this.promiseLanes = Array.from({ length: shards }, (_, shard) => {
      const run = async (batch: Placement[]): Promise<undefined[]> => {
        await this.shards.watch(shard, () => gate.promise(shard, batch));
        return batch.map(() => undefined);
      };
      return new Lane({ name: `promise-${shard}`, run, ...placementQueue });
    });
  }

  get breaker(): Breaker {
    return this.shards.breaker;
  }

  place(placement: Placement): Promise<GateVerdict> {
    return laneOf(this.lanes, placement).add(placement);
  }

  /** Sets the gates as they were read, then places those who waited, from the head until one stays short. */
  async placeAgain(placements: Placement[], now: Date, skus: SkuStock[]): Promise<GateVerdict[]> {
    const { gate, syncGates } = this.options;
    const [first] = placements;
    if (!first) return [];
    return await this.shards.watch(first.shard, async () => {
      await syncGates.set(now, skus);
      return await gate.place(first.shard, placements.map(claimOf));
    });
  }

  /** Marks the claim as one whose caller is answered PENDING. */
  promise(placement: Placement): Promise<void> {
    return laneOf(this.promiseLanes, placement).add(placement);
  }

  async drain(): Promise<void> {
    await Promise.all([...this.lanes, ...this.promiseLanes].map((lane) => lane.drain()));
    this.breaker.close();
  }
}

function laneOf<Result>(lanes: Lane<Placement, Result>[], { shard }: Placement): Lane<Placement, Result> {
  const lane = lanes[shard];
  if (!lane) throw new RangeError(`no shard ${shard}`);
  return lane;
}

function claimOf(placement: Placement): Claim {
  return placement.claim;
}
