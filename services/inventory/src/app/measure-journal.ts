import type { Gate } from './ports.js';

/** Undecided claims of all shards, and the age of the oldest in milliseconds; 0 of none. Rejects when Redis is away. */
export async function measureJournal(
  gate: Pick<Gate, 'openSkus' | 'undecided'>,
  shards: number,
): Promise<{ size: number; oldestMs: number }> {
  const orderIds = new Set<string>();
  let oldestMs = 0;
  for (let shard = 0; shard < shards; shard += 1) {
    for (const skuId of await gate.openSkus(shard)) {
      for (const { orderId, ageMs } of await gate.undecided(shard, skuId, 0)) {
        orderIds.add(orderId);
        oldestMs = Math.max(oldestMs, ageMs);
      }
    }
  }
  return { size: orderIds.size, oldestMs };
}
