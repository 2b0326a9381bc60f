import { randomUUID } from 'node:crypto';
import { createRedis, type RedisClient } from '#libs/redis/redis-client.js';
import { createLogger } from '#libs/runtime/logger.js';
import { createMetrics, type Metrics } from '#libs/runtime/metrics.js';
import type { PrivateServer } from '#libs/servers/private-server.js';
import { privateRedis } from '#libs/testing/private-servers.js';
import { until } from '#libs/testing/until.js';
import type { Beginning, Begun, Ending, Place, SkuLimit, StoredOutcome } from '../app/ports.js';
import { RedisRequests, type RedisRequestsOptions } from './redis-requests.js';

/** A Redis of a test's own, and gateways over it. */
export class RequestsStage {
  readonly #gateways: RedisRequests[] = [];

  private constructor(
    readonly server: PrivateServer,
    readonly redis: RedisClient,
    /** What the connection counts. */
    readonly metrics: Metrics,
  ) {}

  static async open(options: { appendonly?: boolean } = {}): Promise<RequestsStage> {
    const server = await privateRedis(options);
    const logger = createLogger('test', 'silent');
    const metrics = createMetrics();
    // No call of a test is late: only our own time for it ends a call.
    const redis = createRedis({
      url: server.url,
      name: 'requests-test',
      commandTimeoutMs: 60_000,
      logger,
      metrics,
    });
    await until(() => redis.status === 'ready');
    return new RequestsStage(server, redis, metrics);
  }

  /** One more gateway. Its calls may take long, so that a busy machine fails no test. */
  gateway(options: Partial<RedisRequestsOptions> = {}): RedisRequests {
    const gateway = new RedisRequests({
      redis: this.redis,
      instance: randomUUID(),
      shards: 2,
      logger: createLogger('test', 'silent'),
      metrics: createMetrics(),
      callMs: 30_000,
      ...options,
    });
    this.#gateways.push(gateway);
    return gateway;
  }

  /** How many were opened. */
  get gateways(): number {
    return this.#gateways.length;
  }

  async close(): Promise<void> {
    await Promise.all(this.#gateways.map((gateway) => gateway.close()));
    this.redis.disconnect();
    await this.server.stop();
  }
}

/** A sku that lets so many through, as many at once, and has no line. */
export function limitOf(skuId: string, perSecond: number, burst: number, limit: Partial<SkuLimit> = {}): SkuLimit {
  return { skuId, perSecond, burst, onBusy: 'FAIL', issuedOnly: false, ...limit };
}

/** The same, with a line. */
function lineOf(skuId: string, perSecond: number, burst: number): SkuLimit {
  return limitOf(skuId, perSecond, burst, { onBusy: 'QUEUE' });
}

/** A request of a user of its own for a store of its own that costs nothing, but for what is given. */
export function beginning(given: Partial<Beginning> = {}): Beginning {
  return {
    markId: randomUUID(),
    shard: 0,
    fingerprint: 'what is asked',
    owner: randomUUID(),
    userId: randomUUID(),
    storeId: 'store',
    skus: [],
    ...given,
  };
}

/** Requests of as many users for the same skus. */
export function crowd(size: number, ...skus: SkuLimit[]): Beginning[] {
  return Array.from({ length: size }, () => beginning({ skus }));
}

/** Begins them all together, and gives what became of each. */
export function beginAll(gateway: RedisRequests, beginnings: readonly Beginning[]): Promise<Begun[]> {
  return Promise.all(beginnings.map((each) => gateway.begin(each)));
}

/** How many of each kind. */
export function kindsOf(begun: readonly Begun[]): Partial<Record<Begun['kind'], number>> {
  const kinds: Partial<Record<Begun['kind'], number>> = {};
  for (const { kind } of begun) kinds[kind] = (kinds[kind] ?? 0) + 1;
  return kinds;
}

export function ending({ markId, shard, owner }: Beginning, as: Ending['as'], shut: Ending['shut'] = []): Ending {
  return { markId, shard, owner, as, shut };
}

export function stored(outcome: StoredOutcome, answer: Uint8Array = Buffer.from('answer')): Ending['as'] {
  return { kind: 'STORE', outcome, answer };
}

/** Gateways that differ in whom they wait for in a line. */
export interface LineGateways {
  /** Whoever it told to wait is expected for hours. */
  patient: RedisRequests;
  /** Whoever it told to wait is overdue at once; the place is kept. */
  strict: RedisRequests;
  /** Whoever it told to wait has been overdue for 30 s. */
  forgetful: RedisRequests;
}

export function lineGateways(stage: RequestsStage): LineGateways {
  const hours = 3 * 3_600_000;
  return {
    patient: stage.gateway({ line: { graceMs: hours } }),
    strict: stage.gateway({ line: { graceMs: -1, leastRetryMs: 0, mostRetryMs: 0, lapseMs: hours } }),
    forgetful: stage.gateway({ line: { graceMs: -30_001, leastRetryMs: 0, mostRetryMs: 0, lapseMs: hours } }),
  };
}

/** A sku of its own, with a line. */
export function newSku(perSecond: number, burst = 1): SkuLimit {
  return lineOf(randomUUID(), perSecond, burst);
}

/** Takes all tokens of the skus. */
export async function drain(gateway: RedisRequests, ...limits: SkuLimit[]): Promise<void> {
  for (const sku of limits) await beginAll(gateway, crowd(sku.burst, { ...sku, onBusy: 'FAIL' }));
}

export async function kindOf(gateway: RedisRequests, given: Beginning): Promise<Begun['kind']> {
  return (await gateway.begin(given)).kind;
}

export function aheadOf(begun: Begun | undefined): number | undefined {
  return begun?.kind === 'QUEUED' ? begun.peopleAhead : undefined;
}

/** The place of a request in the line of its first sku. */
export function placeOf(gateway: RedisRequests, { userId, shard, storeId, skus: [sku] }: Beginning): Promise<Place> {
  return gateway.place({ storeId, shard, skuId: sku?.skuId ?? '', userId });
}
