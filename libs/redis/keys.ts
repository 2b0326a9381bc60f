/**
 * A key of ours: `key(3, 'gate', skuId)` is `hf:{s3}:gate:<sku>`. The part in braces is the hash tag: all keys of one
 * shard live in one slot of a cluster, so that one script can touch them.
 */
export function key(shard: number, ...parts: readonly (string | number)[]): string {
  let name = `hf:{s${shard}}`;
  for (const part of parts) name += `:${part}`;
  return name;
}
