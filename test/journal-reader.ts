import { Redis } from 'ioredis';

/** Looks into what a Redis has noted, past every service. */
export class JournalReader {
  readonly #redis: Redis;

  constructor(url: string) {
    this.#redis = new Redis(url, { maxRetriesPerRequest: 0, retryStrategy: () => 50 });
    this.#redis.on('error', () => {}); // Whoever asks next is told.
  }

  /** Ids of the orders that have an undecided claim on this sku; `*` stands for all skus. */
  async claims(skuId: string): Promise<string[]> {
    const fields = await Promise.all(
      (await this.#redis.keys(`hf:*:gate:${skuId}`)).map((key) => this.#redis.hkeys(key)),
    );
    return fields.flat().flatMap((field) => (field.startsWith('c:') ? [field.slice(2)] : []));
  }

  /** Ids of the orders that were promised and not settled yet, in all shards. */
  async promises(): Promise<string[]> {
    const ids = await Promise.all((await this.#redis.keys('hf:*:promised')).map((key) => this.#redis.hkeys(key)));
    return ids.flat();
  }

  /** Whether there is a gate of this sku. */
  async knows(skuId: string): Promise<boolean> {
    return (await this.#redis.keys(`hf:*:gate:${skuId}`)).length > 0;
  }

  /** As if the gates of all skus had been evicted. */
  async forgetGates(): Promise<void> {
    const keys = await this.#redis.keys('hf:*:gate:*');
    if (keys.length > 0) await this.#redis.del(keys);
  }

  /** Any command at all. */
  async command(name: string, ...args: string[]): Promise<unknown> {
    return await this.#redis.call(name, ...args);
  }

  /** Whether the gateways have a mark of this order. */
  async isMarked(orderId: string): Promise<boolean> {
    return (await this.#redis.keys(`hf:*:mark:${orderId}*`)).length > 0;
  }

  /** How many units a gate lets in; null when it is not loaded. */
  async letIn(gateKey: string): Promise<string | null> {
    return await this.#redis.hget(gateKey, 'let_in');
  }

  /** As if one key had been evicted. */
  async forget(key: string): Promise<void> {
    await this.#redis.del(key);
  }

  /** As if every key had been evicted. */
  async flush(): Promise<void> {
    await this.#redis.flushall();
  }

  close(): void {
    this.#redis.disconnect();
  }
}
