/** The hash tag of a shard: `{s3}`. All keys of one shard live in one slot of a cluster. */
export function shardTag(shard: number): string {
  return `{s${shard}}`;
}

/** A key of ours: `key(3, 'gate', skuId)` is `hf:{s3}:gate:<sku>`. */
export function key(shard: number, ...parts: readonly (string | number)[]): string {
  return ['hf', shardTag(shard), ...parts].join(':');
}
