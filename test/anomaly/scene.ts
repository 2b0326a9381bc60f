import { randomUUID } from 'node:crypto';
import { connect as connectNats, type JetStreamManager, type NatsConnection, type StreamConfig } from 'nats';
import { InventoryServiceDefinition } from '#libs/contracts/gen/holdfast/inventory/v1/inventory_service.js';
import { orderId, shardOfStore, storeHash } from '#libs/contracts/order-id.js';
import { claimsStream, orderEventSubject, orderEventsStream } from '#libs/contracts/subjects.js';
import type { OrderSetting } from '#libs/ledger/switches.js';
import { type TestLedger, testLedger } from '#libs/ledger/test-ledger.js';
import { connect } from '#libs/rpc/client.js';
import type { PrivateServer } from '#libs/servers/private-server.js';
import type { FaultProxy } from '#libs/testing/fault-proxy.js';
import { privateNats, privateRedis } from '#libs/testing/private-servers.js';
import { assert } from '#libs/testing/suite.js';
import { bearerOf } from '#libs/testing/test-issuer.js';
import { until } from '#libs/testing/until.js';
import type { ServiceName } from '../../deploy/local/topology.js';
import { JournalReader } from '../journal-reader.js';
import { TestServices } from '../test-services.js';
import { type Upstreams, Victim } from '../victim.js';

const shards = 4;

/** One person's one order: what is sent again and again is this. */
export interface Wish {
  storeId: string;
  userId: string;
  key: string;
  skuId: string;
  orderId: string;
}

/** What the HTTP edge said; status 0 when the connection broke off. */
export interface Said {
  status: number;
  body: Record<string, unknown>;
}

/** Servers of a test file's own, services in its process, and those that are to die as processes of their own. */
export class Scene {
  readonly services: TestServices;
  readonly journal: JournalReader;
  readonly #victims: Victim[] = [];

  private constructor(
    readonly ledger: TestLedger,
    readonly redis: PrivateServer,
    readonly nats: PrivateServer,
    private readonly raw: NatsConnection,
    private readonly streams: JetStreamManager,
  ) {
    this.services = new TestServices({ postgres: ledger.url, redis: redis.url, nats: nats.url });
    this.journal = new JournalReader(redis.url);
  }

  static async open(redisOptions?: Parameters<typeof privateRedis>[0]): Promise<Scene> {
    const [ledger, redis, nats] = await Promise.all([testLedger(), privateRedis(redisOptions), privateNats()]);
    const raw = await connectNats({ servers: nats.url, maxReconnectAttempts: -1, reconnectTimeWait: 100 });
    return new Scene(ledger, redis, nats, raw, await raw.jetstreamManager());
  }

  /** A service that will die here. */
  async victim(service: ServiceName, upstreams: Upstreams, env: Record<string, string> = {}): Promise<Victim> {
    const victim = await Victim.start(service, upstreams, env);
    this.#victims.push(victim);
    return victim;
  }

  /** A new person who wants one unit of a new sku in a new store. */
  async wish({ capacity = 2 } = {}): Promise<Wish> {
    const storeId = `store-${randomUUID()}`;
    const { skuId } = await this.ledger.sku({ storeId, capacity });
    return this.another({ storeId, skuId }, 'ann');
  }

  /** Somebody else who wants the same. */
  another({ storeId, skuId }: Pick<Wish, 'storeId' | 'skuId'>, userId: string): Wish {
    const key = `key-${userId}`;
    return { storeId, skuId, userId, key, orderId: orderId(storeId, userId, key) };
  }

  /** Presses the button once. */
  async press(http: string, { storeId, skuId, userId, key }: Wish): Promise<Said> {
    try {
      const response = await fetch(`${http}/v1/orders`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: bearerOf(userId), 'idempotency-key': key },
        body: JSON.stringify({ store_id: storeId, lines: [{ sku_id: skuId, quantity: 1 }] }),
      });
      return { status: response.status, body: (await response.json()) as Said['body'] };
    } catch {
      return { status: 0, body: {} };
    }
  }

  /** Presses with the same key until the order is decided, as a good client does. */
  async pressOn(http: string, wish: Wish): Promise<Said> {
    return until(
      async () => {
        const said = await this.press(http, wish);
        // One that died may have begun it: its mark is held until its lease is over.
        if (said.body.reason === 'REQUEST_IN_PROGRESS') return undefined;
        return said.status === 201 || said.status === 409 ? said : undefined;
      },
      { timeoutMs: 30_000 },
    );
  }

  /** Somebody else has a unit of the same, and that is over: the gateway knows the limits of the sku from now on. */
  async makeKnown(http: string, wish: Wish): Promise<void> {
    assert.is((await this.pressOn(http, this.another(wish, 'first'))).status, 201);
    await until(async () => (await this.journal.claims(wish.skuId)).length === 0);
  }

  /** The order is born once: one row, one movement, and the same key is answered with it. */
  async assertOneOrder(http: string, wish: Wish): Promise<void> {
    const { status, body } = await this.pressOn(http, wish);
    assert.equal([status, body.order_id], [201, wish.orderId]);
    const rows = await this.ledger.sql<{ order_id: string }>(
      'SELECT order_id FROM ledger.orders WHERE store_id = $1 AND user_id = $2',
      [wish.storeId, wish.userId],
    );
    assert.equal(rows, [{ order_id: wish.orderId }]);
    assert.equal(await this.movements(wish), ['ADMIT']);
  }

  /** Nothing is left open: journals, streams and outbox are empty, and the ledger adds up. */
  async assertAtRest(inventory: string): Promise<void> {
    await until(async () => await this.swept(inventory), { timeoutMs: 20_000, describe: 'the journals are empty' });
    await until(async () => (await this.claimMessages()) === 0, { timeoutMs: 20_000 });
    await until(async () => (await this.count('outbox', 'published_at IS NULL')) === 0, { timeoutMs: 20_000 });
    assert.equal((await this.ledger.ledger.audit()).violations, []);
  }

  /** One sweep; whether it left nothing in any journal. */
  async swept(inventory: string): Promise<boolean> {
    const client = connect(InventoryServiceDefinition, inventory, { defaultDeadlineMs: 5_000 });
    try {
      await client.sweep({});
      return (await this.journal.claims('*')).length + (await this.journal.promises()).length === 0;
    } finally {
      client.close();
    }
  }

  /** Says how claims are carried from now on; processes that run follow within half a second. */
  async switchOrderPath(setting: OrderSetting): Promise<void> {
    const { ledger } = this.ledger;
    const [set] = (await ledger.switchesRead()).filter(({ name }) => name === 'ORDER_PATH');
    await ledger.switchSet({
      name: 'ORDER_PATH',
      scope: { kind: 'ALL', storeId: '', skuId: '' },
      setting,
      expectedVersion: set?.version ?? 0,
      expiresInSeconds: 0,
      reason: 'a test wants to see this way',
      setBy: 'test',
      requestId: randomUUID(),
    });
  }

  /** Sets the gate of a sku, so that it lets people in. */
  async loadGate(inventory: string, { skuId }: Wish): Promise<void> {
    const client = connect(InventoryServiceDefinition, inventory, { defaultDeadlineMs: 5_000 });
    await client.sync({ skuIds: [skuId], openingWithinSeconds: 0 });
    client.close();
  }

  /**
   * Keeps a sku's stock locked, so that whoever wants to change it stops inside its transaction. `somebodyWaits` resolves
   * when one does; `unlock` lets it go on.
   */
  async lock({ skuId }: Wish): Promise<{ somebodyWaits(): Promise<unknown>; unlock(): Promise<unknown> }> {
    const held = this.ledger.sql(
      `BEGIN; SELECT FROM ledger.stock WHERE sku_id = '${skuId}' FOR UPDATE; SELECT pg_sleep(60)`,
    );
    held.catch(() => undefined);
    const backends = (event: string): Promise<object[]> =>
      this.ledger.sql(
        `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND ${event} AND pid <> pg_backend_pid()`,
      );
    const sleeps = "wait_event = 'PgSleep'";
    await until(async () => (await backends(sleeps)).length > 0);
    return {
      somebodyWaits: () => until(async () => (await backends("wait_event_type = 'Lock'")).length > 0),
      unlock: () =>
        this.ledger.sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND ${sleeps}`),
    };
  }

  async stateOf({ orderId: id }: Wish): Promise<string | undefined> {
    const [row] = await this.ledger.sql<{ state: string }>('SELECT state FROM ledger.orders WHERE order_id = $1', [id]);
    return row?.state;
  }

  /** How often the units of the order moved, by reason. */
  async movements({ orderId: id }: Wish): Promise<string[]> {
    const rows = await this.ledger.sql<{ reason: string }>(
      'SELECT reason FROM ledger.movements WHERE order_id = $1 ORDER BY order_version',
      [id],
    );
    return rows.map(({ reason }) => reason);
  }

  async count(table: string, where: string): Promise<number> {
    const [row] = await this.ledger.sql<{ n: number }>(`SELECT count(*)::int AS n FROM ledger.${table} WHERE ${where}`);
    return row?.n ?? 0;
  }

  /** Messages that carry claims and are not acknowledged. */
  async claimMessages(): Promise<number> {
    const streams = Array.from({ length: shards }, (_, shard) => this.streams.streams.info(claimsStream(shard)));
    return (await Promise.all(streams)).reduce((sum, { state }) => sum + state.messages, 0);
  }

  /** Messages with claims that a consumer has in hand. */
  async claimsInHand(): Promise<number> {
    const consumers = Array.from({ length: shards }, (_, shard) =>
      this.streams.consumers.info(claimsStream(shard), `order_${shard}`),
    );
    return (await Promise.all(consumers)).reduce((sum, { num_ack_pending }) => sum + num_ack_pending, 0);
  }

  /** Takes the stream away that carries the claims of the wish's store, or only the consumer that shares them out. */
  async takeAway(what: 'stream' | 'consumer', { storeId }: Pick<Wish, 'storeId'>): Promise<void> {
    const shard = shardOfStore(storeId, shards);
    if (what === 'stream') await this.streams.streams.delete(claimsStream(shard));
    else await this.streams.consumers.delete(claimsStream(shard), `order_${shard}`);
  }

  /** How that stream is set up; undefined while there is none. */
  async claimsStreamConfig({ storeId }: Pick<Wish, 'storeId'>): Promise<Partial<StreamConfig> | undefined> {
    const info = this.streams.streams.info(claimsStream(shardOfStore(storeId, shards)));
    return (await info.catch(() => undefined))?.config;
  }

  /** Events that the stream holds about orders of the store that came into this state. */
  async events({ storeId }: Wish, state: string): Promise<number> {
    const subject = orderEventSubject(state, storeHash(storeId));
    const info = await this.streams.streams.info(orderEventsStream, { subjects_filter: subject });
    return info.state.subjects?.[subject] ?? 0;
  }

  async close(): Promise<void> {
    await this.services.close();
    await Promise.all(this.#victims.map((victim) => victim.close()));
    this.journal.close();
    await this.raw.close();
    await Promise.all([this.ledger.drop(), this.redis.stop(), this.nats.stop()]);
  }
}

/** From here on nobody hears anybody on this link. Returns how to wait until more than a ping went under. */
export function swallow(link: FaultProxy): () => Promise<unknown> {
  link.blackhole();
  const before = link.stats.droppedBytes;
  return () => until(() => link.stats.droppedBytes > before + 100);
}
