import type { RedisClient } from '#libs/redis/redis-client.js';
import { runScript } from '#libs/redis/run-script.js';
import { luaScript } from '#libs/redis/script.js';
import type { Away } from './away.js';
import { requestKeys } from './request-keys.js';

/** What every script begins with that keeps marks or counts gateways. */
export const gatewaysPrelude = new URL('../../lua/gateways.lua', import.meta.url);
const countGateways = luaScript(new URL('../../lua/gateways_count.lua', import.meta.url), gatewaysPrelude);

export interface PresenceOptions {
  readonly redis: RedisClient;
  /** Names this process among the gateways. */
  readonly instance: string;
  readonly shards: number;
  readonly away: Away;
  /** How long this process may be without a reply before it goes on without marks. */
  readonly unseenMs: number;
}

interface Reply {
  readonly madeAt: number;
  readonly arrivedAt: number;
}

/** So often within the time that this process may be without a reply it asks for one where it begins nothing. */
const HEARTBEATS = 4;
const COUNTS_MS = 5_000;
/** One that was killed keeps every no recorded for so long, unless it comes back. */
const IS_DEAD_MS = 60_000;
/** How far two clocks may part within the time that a process may be unseen. */
const CLOCKS_MS = 20;

/**
 * This process among the gateways: in each shard the others rely on its marks until its last reply is `unseenMs` old, and
 * it goes on without marks only then. Before its first reply it has been silent since it began: the others may rely on an
 * earlier life of it.
 */
export class Presence {
  readonly #options: PresenceOptions;
  /** By shard: when its last reply was made, by its Redis, and when it arrived (ms, monotonic). */
  readonly #replies: Reply[];
  /** Shards in which a batch is failing to begin. */
  readonly #silent = new Set<number>();
  readonly #heartbeat: NodeJS.Timeout;
  #gateways = 1;

  constructor(options: PresenceOptions) {
    this.#options = options;
    this.#replies = new Array(options.shards).fill({ madeAt: 0, arrivedAt: performance.now() });
    this.#heartbeat = setInterval(() => this.#beat(), options.unseenMs / HEARTBEATS).unref();
    this.#beat();
  }

  /** Gateways that are there, as last heard: at least 1. */
  get gateways(): number {
    return this.#gateways;
  }

  /** Whether others may still rely on this process to mark what it begins. */
  isSeen(shard: number): boolean {
    return performance.now() - this.#replyOf(shard).arrivedAt <= this.#options.unseenMs + CLOCKS_MS;
  }

  /** When the last reply from this shard was made, by its Redis (ms); 0 when there was none. */
  repliedAt(shard: number): number {
    return this.#replyOf(shard).madeAt;
  }

  /** A batch has begun: the reply was made then. */
  begun(shard: number, madeAt: number): void {
    this.#silent.delete(shard);
    this.#note(shard, madeAt);
  }

  /** A batch does not begin: until it does or is given up, no other reply counts, though other calls may succeed. */
  fallSilent(shard: number): void {
    this.#silent.add(shard);
  }

  /** The batch was given up. */
  speakAgain(shard: number): void {
    this.#silent.delete(shard);
  }

  /** Takes its leave, so that nobody waits for it. */
  async close(): Promise<void> {
    clearInterval(this.#heartbeat);
    await Promise.all(this.#replies.map((_, shard) => this.#show(shard, false)));
  }

  /** Shows this process wherever it has not begun anything of late. */
  #beat(): void {
    const recent = performance.now() - this.#options.unseenMs / HEARTBEATS;
    for (const [shard, { arrivedAt }] of this.#replies.entries()) {
      if (shard === 0 || arrivedAt <= recent) void this.#show(shard, true);
    }
  }

  async #show(shard: number, isHere: boolean): Promise<void> {
    const { redis, instance, away, unseenMs } = this.#options;
    const keys = [requestKeys.since(shard), requestKeys.gateways(shard)];
    const args = [instance, isHere ? 1 : 0, this.repliedAt(shard), unseenMs, COUNTS_MS, IS_DEAD_MS];
    try {
      const reply = (await away.run('count', 1, () => runScript(redis, countGateways, keys, args))) as number[];
      if (!this.#silent.has(shard)) this.#note(shard, reply[0] ?? 0);
      if (shard === 0) this.#gateways = Math.max(1, reply[1] ?? 1);
    } catch {
      // Away: the last count holds.
    }
  }

  #note(shard: number, madeAt: number): void {
    this.#replies[shard] = { madeAt, arrivedAt: performance.now() };
  }

  #replyOf(shard: number): Reply {
    const reply = this.#replies[shard];
    if (reply === undefined) throw new RangeError(`there is no shard ${shard}`);
    return reply;
  }
}
