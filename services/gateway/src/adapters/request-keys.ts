import { hash } from 'node:crypto';
import { key } from '#libs/redis/keys.js';

/**
 * Keys of marks, buckets and lines; all of one shard carry its hash tag. Where two ids follow each other, the first is
 * preceded by its length, so that no two pairs give the same key.
 */
export const requestKeys = {
  /** String: since when marks are kept in this shard. */
  since: (shard: number): string => key(shard, 'marks-since'),
  /** String: what became of one request. */
  mark: (shard: number, markId: string): string => key(shard, 'mark', markId),
  /** String: a user's bucket for what is changed in this shard. */
  user: (shard: number, userId: string): string => key(shard, 'user', userId),
  /** String: a bucket whose tokens are leased to processes. */
  leased: (shard: number, limit: 'USER' | 'CALLER', id: string): string => key(shard, 'leased', limit, id),
  /** String: there while the sku is shut. */
  shut: (shard: number, storeId: string, skuId: string): string => key(shard, 'shut', pair(storeId, skuId)),
  /** The keys of skus, as the scripts want them: bucket and shut of each, then line, expected and passed over of each. */
  ofSkus(shard: number, skus: readonly { storeId: string; skuId: string }[]): string[] {
    const names = skus.map(({ storeId, skuId }) => pair(storeId, skuId));
    return [
      ...names.flatMap((name) => [key(shard, 'bucket', name), key(shard, 'shut', name)]),
      ...names.flatMap((name) => [
        key(shard, 'line', name),
        key(shard, 'expected', name),
        key(shard, 'passed-over', name),
      ]),
    ];
  },
  /** Sorted set: gateways by when they were last seen in this shard. */
  gateways: (shard: number): string => key(shard, 'gateways'),
  /** Sorted set: where gateways listen, by when they last said so. */
  addresses: (): string => key(0, 'gateway-addresses'),
};

/** The shard of a bucket that belongs to no store. */
export function shardOfId(id: string, shards: number): number {
  return Number.parseInt(hash('sha256', id, 'hex').slice(0, 4), 16) % shards;
}

/** Numbers the distinct things of a call from 1, in order of appearance. */
export class Numbers<Thing> {
  readonly things: Thing[] = [];
  readonly #numbers = new Map<string, number>();

  of(name: string, thing: Thing): number {
    let number = this.#numbers.get(name);
    if (number === undefined) {
      number = this.things.push(thing);
      this.#numbers.set(name, number);
    }
    return number;
  }
}

/** One name for a store's sku. */
export function pair(storeId: string, skuId: string): string {
  return `${storeId.length}:${storeId}:${skuId}`;
}
