import { randomUUID } from 'node:crypto';
import { orderId, shardOfStore } from '#libs/contracts/order-id.js';
import { claimsStream, claimsSubject } from '#libs/contracts/subjects.js';
import { type TestLedger, testLedger } from '#libs/ledger/test-ledger.js';
import { connectMessaging, type Messaging, type StreamSpec } from '#libs/messaging/messaging.js';
import { createRedis, type RedisClient } from '#libs/redis/redis-client.js';
import { createLogger } from '#libs/runtime/logger.js';
import { createMetrics } from '#libs/runtime/metrics.js';
import type { PrivateServer } from '#libs/servers/private-server.js';
import { type FaultProxy, faultProxy } from '#libs/testing/fault-proxy.js';
import { privateNats, privateRedis } from '#libs/testing/private-servers.js';
import type { Suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { createClaimStream } from '../src/adapters/claim-stream.js';
import { PolledClaimsAge } from '../src/adapters/claims-age.js';
import { RedisGate } from '../src/adapters/redis-gate.js';
import { PlaceHolds, type PlaceHoldsOptions, type Tried } from '../src/app/place-holds.js';
import type { Claim, Outcome } from '../src/app/placement.js';
import { SyncGates } from '../src/app/sync-gates.js';
import { openTestBreaker, TestSwitches } from './placing-parts.js';

const SHARDS = 2;
const logger = createLogger('test', 'silent');

/** The shard of 'store-1'. */
export const SHARD = shardOfStore('store-1', SHARDS);

/** The marks remember an hour, and no other try. */
export const FIRST: Tried = { remainingMs: 3_000, firstForMs: 3_600_000 };

interface Parts {
  readonly database: TestLedger;
  readonly nats: PrivateServer;
  readonly messaging: Messaging;
  readonly redisServer: PrivateServer;
  readonly proxy: FaultProxy;
  readonly redis: RedisClient;
  readonly patientRedis: RedisClient;
  readonly claimsAge: PolledClaimsAge;
}

/** A ledger, a Redis behind a proxy and a stream of claims that nobody consumes, for the tests of one file. */
export class TestPlacing {
  readonly #opened: PlaceHolds[] = [];
  #parts: Parts | undefined;

  constructor(test: Suite) {
    test.before(() => this.#start());
    test.after.each(async () => {
      this.parts.proxy.heal();
      for (const placeHolds of this.#opened.splice(0)) await placeHolds.drain();
      // A connection that lost its replies is made anew.
      await until(() =>
        this.parts.redis.ping().then(
          () => true,
          () => false,
        ),
      );
    });
    test.after(() => this.#stop());
  }

  get parts(): Parts {
    if (!this.#parts) throw new Error('not started yet');
    return this.#parts;
  }

  get database(): TestLedger {
    return this.parts.database;
  }

  /** One process's placing; it knows how old the stream's claims are. */
  async open(some: Partial<PlaceHoldsOptions> = {}): Promise<PlaceHolds> {
    const { database, redis, messaging, claimsAge } = this.parts;
    await until(() => claimsAge.oldestMs(SHARD) !== undefined);
    const gate = new RedisGate(redis);
    const placeHolds = new PlaceHolds({
      ledger: database.ledger,
      directLedger: some.ledger ?? database.ledger,
      switches: new TestSwitches(),
      openBreaker: openTestBreaker,
      ledgerNow: () => new Date(),
      gate,
      syncGates: new SyncGates(database.ledger, gate, SHARDS),
      stream: createClaimStream(messaging),
      claimsAge,
      shards: SHARDS,
      directTurns: 2,
      maxInFlight: 10_000,
      metrics: createMetrics(),
      logger,
      ...some,
    });
    this.#opened.push(placeHolds);
    return placeHolds;
  }

  /** A gate past the proxy that is waited for however busy the machine is: for tests in which it shall not be silent. */
  patient(): { gate: RedisGate; syncGates: SyncGates } {
    const gate = new RedisGate(this.parts.patientRedis);
    return { gate, syncGates: new SyncGates(this.database.ledger, gate, SHARDS) };
  }

  /** A sku of 'store-1' with no unit to sell. */
  async soldOut(): Promise<string> {
    return (await this.database.sku({ capacity: 0 })).skuId;
  }

  /** Whether an order has a row. */
  async hasRow(claim: Claim): Promise<boolean> {
    return (await this.database.ledger.ordersRead([claim.orderId])).length > 0;
  }

  /** How many orders of a sku have a row. */
  async orders(skuId: string): Promise<number> {
    const [row] = await this.database.sql<{ n: number }>(
      'SELECT count(*)::int AS n FROM ledger.order_lines WHERE sku_id = $1',
      [skuId],
    );
    return row?.n ?? 0;
  }

  /** Takes everything out of the stream. */
  async emptyStream(): Promise<void> {
    const { messaging, claimsAge } = this.parts;
    const consumption = messaging.consume({
      stream: specOf(SHARD),
      durable: 'emptying',
      ackWaitMs: 5_000,
      maxMessages: 100,
      maxAckPending: 100,
      stalledAfterMs: 5_000,
      onBatch: async (batch) => {
        for (const delivery of batch) delivery.ack();
      },
    });
    await until(async () => (await messaging.oldestStoredAt(claimsStream(SHARD))) === undefined);
    await consumption.close();
    await until(() => (claimsAge.oldestMs(SHARD) ?? Number.POSITIVE_INFINITY) < 1_000);
  }

  async #start(): Promise<void> {
    const [database, nats, redisServer] = await Promise.all([testLedger(), privateNats(), privateRedis()]);
    const messaging = connectMessaging({ url: nats.url, name: 'test', logger, metrics: createMetrics() });
    const proxy = await faultProxy('127.0.0.1', redisServer.port);
    const redis = connectRedis(proxy.port, 200);
    const patientRedis = connectRedis(redisServer.port, 30_000);
    await until(() => redis.status === 'ready' && patientRedis.status === 'ready' && messaging.connected);
    for (let shard = 0; shard < SHARDS; shard += 1) {
      await messaging.ensureStream(specOf(shard));
    }
    const claimsAge = new PolledClaimsAge(messaging, () => new Date(), logger);
    this.#parts = { database, nats, messaging, redisServer, proxy, redis, patientRedis, claimsAge };
  }

  async #stop(): Promise<void> {
    const { database, nats, messaging, redisServer, proxy, redis, patientRedis, claimsAge } = this.parts;
    claimsAge.close();
    redis.disconnect();
    patientRedis.disconnect();
    await messaging.close();
    await Promise.all([proxy.close(), redisServer.stop(), nats.stop()]);
    await database.drop();
  }
}

function connectRedis(port: number, commandTimeoutMs: number): RedisClient {
  return createRedis({
    url: `redis://127.0.0.1:${port}`,
    name: 'test',
    commandTimeoutMs,
    logger,
    metrics: createMetrics(),
  });
}

function specOf(shard: number): StreamSpec {
  return {
    name: claimsStream(shard),
    subjects: [claimsSubject(shard)],
    retention: 'workqueue',
    replicas: 1,
    duplicateWindowMs: 1_000,
    maxBytes: 1_000_000,
  };
}

/** An order of a user of its own for themselves, of 'store-1'. */
export function claimOf(skuId: string, quantity = 1, userId = `user-${randomUUID()}`): Claim {
  const requestId = randomUUID();
  const lines = [{ skuId, quantity, attendeeId: userId }];
  return { orderId: orderId('store-1', userId, requestId), storeId: 'store-1', userId, requestId, lines };
}

export function place(placeHolds: PlaceHolds, claim: Claim, tried: Tried = FIRST): Promise<Outcome> {
  return new Promise((resolve) => placeHolds.place(claim, tried, resolve));
}

/** Places so many orders of people of their own at once. */
export function crowd(placeHolds: PlaceHolds, skuId: string, size: number): Promise<Outcome[]> {
  return Promise.all(Array.from({ length: size }, () => place(placeHolds, claimOf(skuId), { remainingMs: 10_000 })));
}

/** How many of them are yes. */
export function held(outcomes: readonly Outcome[]): number {
  return outcomes.filter(({ kind }) => kind === 'HELD').length;
}

/** An outcome in one word. */
export function told(outcome: Outcome): string {
  if (outcome.kind === 'REFUSED') return outcome.refusal.reason;
  return outcome.kind === 'FAULT' ? outcome.fault.reason : outcome.kind;
}
