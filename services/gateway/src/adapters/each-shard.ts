/** Calls once per shard, all at once, and answers in the order of the batch. */
export async function eachShard<Item, Result>(
  batch: readonly Item[],
  shardOf: (item: Item) => number,
  call: (shard: number, items: Item[]) => Promise<Result[]>,
): Promise<Result[]> {
  const indexes = new Map<number, number[]>();
  for (const [index, item] of batch.entries()) {
    const shard = shardOf(item);
    const ofShard = indexes.get(shard);
    if (ofShard === undefined) indexes.set(shard, [index]);
    else ofShard.push(index);
  }
  const results = new Array<Result>(batch.length);
  await Promise.all(
    Array.from(indexes, async ([shard, ofShard]) => {
      const answers = await call(
        shard,
        ofShard.map((index) => batch[index] as Item),
      );
      for (const [i, index] of ofShard.entries()) results[index] = answers[i] as Result;
    }),
  );
  return results;
}
