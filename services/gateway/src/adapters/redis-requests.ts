import { setTimeout as pause } from 'node:timers/promises';
import { Lane } from '#libs/lane/lane.js';
import type { RedisClient } from '#libs/redis/redis-client.js';
import { runScript, type ScriptArgument } from '#libs/redis/run-script.js';
import { luaScript } from '#libs/redis/script.js';
import type { Logger } from '#libs/runtime/logger.js';
import type { Metrics } from '#libs/runtime/metrics.js';
import type { Beginning, Begun, Ending, Lease, Place, Requests } from '../app/ports.js';
import { Away } from './away.js';
import { BeginBatch, type BeginRules, type LineRules, lineArguments, outcomes, type Rate } from './begin-batch.js';
import { eachShard } from './each-shard.js';
import { type MarkChange, MarkChanges } from './mark-changes.js';
import { gatewaysPrelude, Presence } from './presence.js';
import { Numbers, pair, requestKeys, shardOfId } from './request-keys.js';

const buckets = new URL('../../lua/buckets.lua', import.meta.url);
const lines = new URL('../../lua/lines.lua', import.meta.url);
const begin = luaScript(new URL('../../lua/requests_begin.lua', import.meta.url), buckets, lines, gatewaysPrelude);
const readPlaces = luaScript(new URL('../../lua/places_read.lua', import.meta.url), buckets, lines);
const leaseTokens = luaScript(new URL('../../lua/tokens_lease.lua', import.meta.url), buckets);

export interface RedisRequestsOptions {
  /** Its own timeout for a command need only be longer than `callMs`. */
  readonly redis: RedisClient;
  /** Names this process among the gateways. */
  readonly instance: string;
  readonly shards: number;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** What one user may change: 20 a second, 40 at once. */
  readonly user?: Rate;
  readonly line?: Partial<LineRules>;
  /** How long a mark is kept (24 hours). */
  readonly retentionMs?: number;
  /** How long a mark is a try's own (10 s). */
  readonly leaseMs?: number;
  /** What one call to Redis may take (80), and how long it counts as away after one that failed (250). */
  readonly callMs?: number;
  readonly awayMs?: number;
  /** How long this process may be without a reply before it goes on without marks (500). */
  readonly unseenMs?: number;
}

interface PlaceRequest {
  readonly storeId: string;
  readonly shard: number;
  readonly skuId: string;
  readonly userId: string;
}

const RETENTION_MS = 24 * 3_600_000;
const DEFAULT_LINE: LineRules = {
  mostPlaces: 10_000,
  leastRetryMs: 200,
  mostRetryMs: 5_000,
  graceMs: 1_000,
  lapseMs: 30_000,
};
/** HELD is replayed as it was told for so long; a change of the order that is noted later than that changes nothing. */
const CHANGE_MATTERS_MS = 30_000;
/** As long as Redis may be away and come back with its marks. */
const BIRTH_MATTERS_MS = 600_000;
const REFUSED_OUTCOME = outcomes.indexOf('REFUSED') + 1;
const UNSEEN_MS = 500;
/** Between two tries to begin while this process still counts as seen. */
const BEGIN_AGAIN_MS = 25;
const PLACE_CODES = ['GONE', 'DUE', 'WAITING'] as const;

/** Marks, buckets and lines in Redis: one script a batch, every key of a call in one shard. */
export class RedisRequests implements Requests {
  readonly #options: RedisRequestsOptions;
  readonly #rules: BeginRules;
  readonly #away: Away;
  readonly #changes: MarkChanges;
  readonly #begins: Lane<Beginning, Begun>[];
  readonly #places: Lane<PlaceRequest, Place>;
  readonly #leases: Lane<Lease, { tokens: number; retryAfterMs: number }>;
  readonly #presence: Presence;

  constructor(options: RedisRequestsOptions) {
    const { redis, shards, logger, metrics, retentionMs = RETENTION_MS, leaseMs = 10_000, awayMs = 250 } = options;
    this.#options = options;
    this.#rules = {
      user: options.user ?? { perSecond: 20, burst: 40 },
      line: { ...DEFAULT_LINE, ...options.line },
      leaseMs,
      retentionMs,
      instance: options.instance,
      unseenMs: options.unseenMs ?? UNSEEN_MS,
    };
    this.#away = new Away({ logger, metrics, awayMs, ...(options.callMs !== undefined && { callMs: options.callMs }) });
    this.#changes = new MarkChanges({
      redis,
      shards,
      away: this.#away,
      metrics,
      leaseMs,
      retentionMs,
      unseenMs: this.#rules.unseenMs,
      againMs: awayMs,
    });
    this.#begins = Array.from({ length: shards }, (_, shard) => this.#beginLane(shard));
    this.#places = new Lane({
      name: 'places',
      keyOf: ({ storeId }) => storeId,
      run: (batch) => this.#readPlaces(batch),
    });
    this.#leases = new Lane({ name: 'leases', run: (batch) => this.#leaseTokens(batch) });
    this.#presence = new Presence({
      redis,
      instance: options.instance,
      shards,
      away: this.#away,
      unseenMs: this.#rules.unseenMs,
    });
  }

  get gateways(): number {
    return this.#presence.gateways;
  }

  begin(beginning: Beginning): Promise<Begun> {
    if (this.#away.isKnown && !this.#presence.isSeen(beginning.shard))
      return Promise.reject(this.#away.refusal('begin'));
    const lane = this.#begins[beginning.shard];
    if (lane === undefined) throw new RangeError(`there is no shard ${beginning.shard}`);
    return lane.add(beginning);
  }

  end({ markId, shard, owner, as, shut }: Ending): Promise<boolean> {
    const tellUntil = performance.now() + this.#rules.leaseMs;
    const stored = as.kind === 'STORE' ? as : undefined;
    const change = {
      shard,
      markId,
      owner,
      outcome: stored === undefined ? 0 : outcomes.indexOf(stored.outcome) + 1,
      answer: stored?.answer,
      shut,
      tellUntil,
    };
    if (stored?.askUntil !== undefined) return this.#changes.storeNo(change, stored.askUntil);
    return this.#changes.tell({ ...change, letter: LETTERS[as.kind] });
  }

  async renew({ markId, shard, owner }: Pick<Ending, 'markId' | 'shard' | 'owner'>): Promise<void> {
    await this.#changes.tell({ ...nothing, shard, markId, letter: 'R', owner });
  }

  async changing(orderId: string, shard: number): Promise<void> {
    const tellUntil = performance.now() + CHANGE_MATTERS_MS;
    await this.#changes.tell({ ...nothing, shard, markId: orderId, letter: 'C', tellUntil });
  }

  async born(orderId: string, shard: number): Promise<void> {
    const tellUntil = performance.now() + BIRTH_MATTERS_MS;
    await this.#changes.tell({ ...nothing, shard, markId: orderId, letter: 'B', outcome: REFUSED_OUTCOME, tellUntil });
  }

  place(place: PlaceRequest): Promise<Place> {
    return this.#away.isKnown ? Promise.reject(this.#away.refusal('place')) : this.#places.add(place);
  }

  lease(bucket: Lease): Promise<{ tokens: number; retryAfterMs: number }> {
    return this.#away.isKnown ? Promise.reject(this.#away.refusal('lease')) : this.#leases.add(bucket);
  }

  /** Resolves when what was begun and told has been answered. Stop calling first. */
  async close(): Promise<void> {
    const lanes = [...this.#begins, this.#places, this.#leases];
    await Promise.all([...lanes.map((lane) => lane.drain()), this.#changes.close()]);
    await this.#presence.close();
  }

  #beginLane(shard: number): Lane<Beginning, Begun> {
    return new Lane({
      name: 'requests that begin',
      keyOf: ({ storeId }) => storeId,
      run: (batch) => this.#begin(shard, batch),
    });
  }

  /**
   * While the others may still count this process as seen, a batch that failed is tried again: only when they do not rely
   * on its marks any more may it go on without. So it falls silent, though other calls may succeed. Each request has the
   * same owner again, so that nothing is paid for twice.
   */
  async #begin(shard: number, batch: readonly Beginning[]): Promise<Begun[]> {
    let mayBeMarked = false;
    for (;;) {
      try {
        return await this.#beginOnce(shard, batch, () => {
          mayBeMarked ||= this.#options.redis.status === 'ready';
        });
      } catch (error) {
        this.#presence.fallSilent(shard);
        if (this.#presence.isSeen(shard)) await pause(BEGIN_AGAIN_MS);
        else {
          this.#presence.speakAgain(shard);
          this.#away.count('begin', batch.length);
          // They go on without the marks that may have been made although nobody was told.
          if (mayBeMarked) this.#changes.tellLater(batch.map((each) => this.#leave(each)));
          throw error;
        }
      }
    }
  }

  async #beginOnce(shard: number, batch: readonly Beginning[], onLost: () => void): Promise<Begun[]> {
    const call = new BeginBatch(shard, batch, { rules: this.#rules, repliedAt: this.#presence.repliedAt(shard) });
    const run = (): Promise<unknown> => runScript(this.#options.redis, begin, call.keys, call.args);
    const reply = (await this.#away.run('begin', 0, run, onLost)) as unknown[];
    this.#presence.begun(shard, reply[0] as number);
    return call.read(reply);
  }

  #leave({ shard, markId, owner }: Beginning): MarkChange {
    const tellUntil = performance.now() + this.#rules.leaseMs;
    return { ...nothing, shard, markId, letter: 'L', owner, tellUntil };
  }

  #readPlaces(batch: readonly PlaceRequest[]): Promise<Place[]> {
    return eachShard(
      batch,
      ({ shard }) => shard,
      async (shard, places) => {
        const skus = new Numbers<PlaceRequest>();
        const args: ScriptArgument[] = [];
        for (const place of places) args.push(skus.of(pair(place.storeId, place.skuId), place), place.userId);
        const keys = requestKeys.ofSkus(shard, skus.things);
        const rules = [skus.things.length, ...lineArguments(this.#rules.line)];
        const reply = await this.#run('place', places.length, () =>
          runScript(this.#options.redis, readPlaces, keys, [...rules, ...args]),
        );
        return places.map((_, i) => ({
          state: PLACE_CODES[reply[3 * i] ?? 0] ?? 'GONE',
          peopleAhead: reply[3 * i + 1] ?? 0,
          retryAfterMs: reply[3 * i + 2] ?? 0,
        }));
      },
    );
  }

  #leaseTokens(batch: readonly Lease[]): Promise<{ tokens: number; retryAfterMs: number }[]> {
    return eachShard(
      batch,
      ({ id }) => shardOfId(id, this.#options.shards),
      async (shard, leases) => {
        const keys = leases.map(({ limit, id }) => requestKeys.leased(shard, limit, id));
        const args = leases.flatMap(({ perSecond, burst, wanted }) => [perSecond, burst, wanted]);
        const reply = await this.#run('lease', leases.length, () =>
          runScript(this.#options.redis, leaseTokens, keys, args),
        );
        return leases.map((_, i) => ({ tokens: reply[2 * i] ?? 0, retryAfterMs: reply[2 * i + 1] ?? 0 }));
      },
    );
  }

  async #run(call: string, items: number, work: () => Promise<unknown>): Promise<number[]> {
    return (await this.#away.run(call, items, work)) as number[];
  }
}

const LETTERS = { STORE: 'S', FORGET: 'F', LEAVE: 'L' } as const;
const nothing = { owner: '', outcome: 0, answer: undefined, shut: [], tellUntil: 0 };
