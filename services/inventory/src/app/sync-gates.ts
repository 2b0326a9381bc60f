import { shardOfStore } from '#libs/contracts/order-id.js';
import type { Ledger } from '#libs/ledger/ledger.js';
import type { SkuStock } from '#libs/ledger/rows.js';
import type { Gate } from './ports.js';

const READ_AT_ONCE = 500;

/** Sets gates from the ledger's word: let-in = free - undecided. */
export class SyncGates {
  constructor(
    private readonly ledger: Pick<Ledger, 'stockRead' | 'skusOpening'>,
    private readonly gate: Gate,
    private readonly shards: number,
  ) {}

  /** Reads the named skus and sets their gates. Unknown skus are passed over. */
  async syncSkus(skuIds: readonly string[]): Promise<number> {
    let synced = 0;
    for (let at = 0; at < skuIds.length; at += READ_AT_ONCE) {
      const { now, skus } = await this.ledger.stockRead(skuIds.slice(at, at + READ_AT_ONCE));
      synced += await this.set(now, skus);
    }
    return synced;
  }

  /** Sets gates from a read that was made already. `now` is the ledger's time of that read. */
  async set(now: Date, skus: readonly SkuStock[]): Promise<number> {
    const byShard = new Map<number, SkuStock[]>();
    for (const sku of skus) {
      const shard = shardOfStore(sku.storeId, this.shards);
      const list = byShard.get(shard);
      if (list) list.push(sku);
      else byShard.set(shard, [sku]);
    }
    const counts = await Promise.all([...byShard].map(([shard, list]) => this.gate.sync(shard, now, list)));
    return counts.reduce((sum, count) => sum + count, 0);
  }

  /** Sets the gates of every sku used since the last time. */
  async syncUsed(): Promise<number> {
    const used = await Promise.all(this.eachShard((shard) => this.gate.takeUsedSkus(shard)));
    const synced = await this.syncSkus(used.flat());
    await Promise.all(this.eachShard((shard) => this.gate.close(shard)));
    return synced;
  }

  /** Loads the gates of sales that open soon. */
  async syncOpening(withinSeconds: number): Promise<{ synced: number; nextOpeningAt?: Date | undefined }> {
    const { skuIds, nextOpeningAt } = await this.ledger.skusOpening(withinSeconds);
    return { synced: await this.syncSkus(skuIds), nextOpeningAt };
  }

  private eachShard<Result>(act: (shard: number) => Result): Result[] {
    return Array.from({ length: this.shards }, (_, shard) => act(shard));
  }
}
