import { setTimeout as pause } from 'node:timers/promises';
import type { Counter } from 'prom-client';
import { Lane } from '#libs/lane/lane.js';
import type { RedisClient } from '#libs/redis/redis-client.js';
import { runScript, type ScriptArgument } from '#libs/redis/run-script.js';
import { luaScript } from '#libs/redis/script.js';
import { Fault } from '#libs/refusal/fault.js';
import type { Metrics } from '#libs/runtime/metrics.js';
import type { Ending } from '../app/ports.js';
import type { Away } from './away.js';
import { outcomes } from './begin-batch.js';
import { gatewaysPrelude } from './presence.js';
import { Numbers, pair, requestKeys } from './request-keys.js';

const end = luaScript(new URL('../../lua/requests_end.lua', import.meta.url), gatewaysPrelude);

/** Something to be told of a mark. */
export interface MarkChange {
  readonly shard: number;
  readonly markId: string;
  /** As requests_end.lua names it. */
  readonly letter: 'S' | 'N' | 'A' | 'F' | 'L' | 'R' | 'C' | 'B';
  readonly owner: string;
  /** Number of an outcome, and its answer. */
  readonly outcome: number;
  readonly answer: Uint8Array | undefined;
  readonly shut: Ending['shut'];
  /** Until when it is worth telling again (ms, monotonic). */
  readonly tellUntil: number;
  /** Called before it is sent: from then on it may have its effect at any time. */
  readonly onSend?: () => void;
}

export interface MarkChangesOptions {
  readonly redis: RedisClient;
  readonly shards: number;
  readonly away: Away;
  readonly metrics: Metrics;
  readonly leaseMs: number;
  readonly retentionMs: number;
  /** How long a gateway may be without a reply before it goes on without marks. */
  readonly unseenMs: number;
  /** How soon what could not be told is tried again. */
  readonly againMs: number;
}

const MOST_UNTOLD = 10_000;
/** Between two times that it is asked whether a no was stored. */
const ASK_AGAIN_MS = 25;
const ORDER_OUTCOME = outcomes.indexOf('HELD') + 1;

/**
 * Tells Redis what becomes of marks, in batches. What cannot be told now is told later, as long as it matters: a mark must
 * not stay executing because of a blip. Bounded: what comes on top is lost, and ends with its lease.
 */
export class MarkChanges {
  readonly #options: MarkChangesOptions;
  readonly #lanes: Lane<MarkChange, boolean>[];
  readonly #lost: Counter;
  #untold: MarkChange[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(options: MarkChangesOptions) {
    this.#options = options;
    this.#lost = options.metrics.counter('marks_untold_total', 'Changes of marks that were never told to Redis');
    this.#lanes = Array.from(
      { length: options.shards },
      (_, shard) => new Lane({ name: 'marks that change', run: (batch) => this.#run(shard, batch) }),
    );
  }

  /** Whether it had an effect. Rejects when it could not be told now; it is told later all the same. */
  tell(change: MarkChange): Promise<boolean> {
    if (this.#options.away.isKnown) {
      this.tellLater([change]);
      return Promise.reject(this.#options.away.refusal('end'));
    }
    return this.#lane(change.shard).add(change);
  }

  /**
   * Stores a no that may have no row: whether it is stored. What was sent and got no reply is asked again, though Redis be
   * away, until `askUntil` (ms, monotonic); then it rejects, for nobody knows, and the try is left. It rejects, too, when it
   * is found not to be there: Redis may have stored it, told it by another gateway, and lost it.
   */
  async storeNo(no: Omit<MarkChange, 'letter'>, askUntil: number): Promise<boolean> {
    let isSent = false;
    const onSend = (): void => {
      isSent = true;
    };
    for (;;) {
      const letter = isSent ? 'A' : 'N';
      let isStored: boolean;
      try {
        isStored = await this.tell({ ...no, letter, onSend });
      } catch (error) {
        if (!isSent) return false;
        if (performance.now() + ASK_AGAIN_MS >= askUntil) {
          this.tellLater([{ ...no, letter: 'L' }]);
          throw error;
        }
        await pause(ASK_AGAIN_MS);
        continue;
      }
      if (isStored || letter === 'N') return isStored;
      throw new Fault('UNAVAILABLE', 'The no is not stored, or not any more');
    }
  }

  /** Keeps what is worth being told later. */
  tellLater(changes: readonly MarkChange[]): void {
    const now = performance.now();
    for (const change of changes) {
      // Whoever renews a mark does so again and again, and whoever stores a no that may have no row asks by itself.
      if (change.letter === 'R' || change.letter === 'N' || change.letter === 'A') continue;
      if (change.tellUntil <= now || this.#untold.length >= MOST_UNTOLD) this.#lost.inc();
      else this.#untold.push(change);
    }
    if (this.#untold.length > 0) this.#timer ??= setTimeout(this.#tellAgain, this.#options.againMs).unref();
  }

  /** Resolves when nothing waits to be told but what could not be told. Stop telling first. */
  async close(): Promise<void> {
    await Promise.all(this.#lanes.map((lane) => lane.drain()));
    clearTimeout(this.#timer);
  }

  readonly #tellAgain = (): void => {
    this.#timer = undefined;
    const untold = this.#untold;
    this.#untold = [];
    if (this.#options.away.isKnown) this.tellLater(untold);
    // Whoever told it first has had their answer.
    else for (const change of untold) this.#lane(change.shard).add(change).catch(ignore);
  };

  async #run(shard: number, batch: readonly MarkChange[]): Promise<boolean[]> {
    const { redis, away } = this.#options;
    const { keys, args } = this.#encode(shard, batch);
    try {
      const effects = await away.run('end', batch.length, () => {
        if (redis.status === 'ready') for (const { onSend } of batch) onSend?.();
        return runScript(redis, end, keys, args);
      });
      return (effects as number[]).map((effect) => effect === 1);
    } catch (error) {
      this.tellLater(batch);
      throw error;
    }
  }

  #encode(shard: number, batch: readonly MarkChange[]): { keys: string[]; args: ScriptArgument[] } {
    const { leaseMs, retentionMs, unseenMs } = this.#options;
    const keys: string[] = [requestKeys.since(shard), requestKeys.gateways(shard)];
    const args: ScriptArgument[] = [batch.length, leaseMs, retentionMs, ORDER_OUTCOME, unseenMs];
    const skus = new Numbers<string>();
    const shutFor: number[] = [];
    for (const { markId, letter, owner, outcome, answer, shut } of batch) {
      keys.push(requestKeys.mark(shard, markId));
      args.push(letter, owner, outcome, answer === undefined ? '' : textOf(answer));
      for (const { storeId, skuId, forMs } of shut) {
        shutFor[skus.of(pair(storeId, skuId), requestKeys.shut(shard, storeId, skuId)) - 1] = Math.ceil(forMs);
      }
    }
    for (const shutKey of skus.things) keys.push(shutKey);
    for (const forMs of shutFor) args.push(forMs);
    return { keys, args };
  }

  #lane(shard: number): Lane<MarkChange, boolean> {
    const lane = this.#lanes[shard];
    if (lane === undefined) throw new RangeError(`there is no shard ${shard}`);
    return lane;
  }
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

function ignore(): undefined {
  return undefined;
}
