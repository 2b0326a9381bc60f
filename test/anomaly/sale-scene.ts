import { randomUUID } from 'node:crypto';
import { ReservationServiceDefinition } from '#libs/contracts/gen/holdfast/reservation/v1/reservation_service.js';
import type { InstanceStatus } from '#libs/contracts/gen/holdfast/status/v1/instance.js';
import { StatusServiceDefinition } from '#libs/contracts/gen/holdfast/status/v1/status_service.js';
import { type Client, connect } from '#libs/rpc/client.js';
import { type FaultProxy, faultProxy } from '#libs/testing/fault-proxy.js';
import type { privateRedis } from '#libs/testing/private-servers.js';
import { assert } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { atPace } from '../pace.js';
import { insist, orderIdOf, type Press, type Said, tally } from '../press.js';
import type { Victim } from '../victim.js';
import { Scene } from './scene.js';

/** What breaks in the middle of a sale, and how it is mended. */
export interface Trouble {
  fault(sale: SaleScene): unknown;
  heal(sale: SaleScene): unknown;
}

interface SaleSceneOptions {
  orderEnv?: Record<string, string>;
  redis?: Parameters<typeof privateRedis>[0];
}

const CAPACITY = 60;
const PEOPLE = 90;
const PER_SECOND = 30;

/** Two inventories, an order service and a gateway, with a stretch of network before Redis and NATS to be disturbed. */
export class SaleScene {
  private constructor(
    readonly scene: Scene,
    readonly redis: FaultProxy,
    readonly nats: FaultProxy,
    readonly order: Victim,
    readonly inventories: readonly string[],
    private readonly gateway: Client<typeof ReservationServiceDefinition>,
    private readonly statuses: readonly Client<typeof StatusServiceDefinition>[],
  ) {}

  /** `orderEnv`: settings of the order service. */
  static async open({ orderEnv = {}, redis: redisOptions }: SaleSceneOptions = {}): Promise<SaleScene> {
    const scene = await Scene.open(redisOptions);
    const [redis, nats] = await Promise.all([scene.redis, scene.nats].map(({ port }) => faultProxy('127.0.0.1', port)));
    if (!redis || !nats) throw new Error('no proxies');
    const { services } = scene;
    const env = { REDIS_URL: redis.url(scene.redis.url), NATS_URL: nats.url(scene.nats.url), BREAKER_RESET_MS: '500' };
    const order = await scene.victim('order', { postgres: scene.ledger.url, nats: scene.nats.url }, orderEnv);
    const started = await Promise.all([services.inventory(env), services.inventory(env)]);
    const inventories = started.map(({ grpcAddress }) => grpcAddress);
    const gateway = await services.gateway({ inventory: inventories.join(), order: order.address });
    return new SaleScene(
      scene,
      redis,
      nats,
      order,
      inventories,
      connect(ReservationServiceDefinition, gateway.grpcAddress, { defaultDeadlineMs: 10_000 }),
      inventories.map((address) => connect(StatusServiceDefinition, address, { defaultDeadlineMs: 10_000 })),
    );
  }

  /**
   * Sells 60 units to a steady crowd of 90 in which one thing breaks and is mended. Everybody is told the truth, nothing
   * is sold twice, some are held while it is broken, and nothing is left undone.
   */
  async sellsOn({ fault, heal }: Trouble): Promise<void> {
    const storeId = `store-${randomUUID()}`;
    const { skuId } = await this.scene.ledger.sku({ storeId, capacity: CAPACITY });
    const said: Said[] = [];
    let isBroken = false;
    let heldMeanwhile = 0;
    const breaking = until(() => said.length >= PEOPLE / 6)
      .then(() => fault(this))
      .then(async () => {
        isBroken = true;
        await until(() => heldMeanwhile >= CAPACITY / 6, { timeoutMs: 30_000, describe: 'holds while it is broken' });
        isBroken = false;
        await heal(this);
      });
    await atPace({ perSecond: PER_SECOND, seconds: PEOPLE / PER_SECOND }, async () => {
      const began = isBroken;
      const one = await insist(this.gateway, this.somebody(skuId, storeId));
      said.push(one);
      if (one.kind === 'held' && began && isBroken) heldMeanwhile += 1;
    });
    await breaking;
    const counts = tally(said);
    assert.equal([(counts.held ?? 0) + (counts.pending ?? 0), counts.refused], [CAPACITY, PEOPLE - CAPACITY]);
    const ids = said.flatMap((one) => orderIdOf(one) ?? []);
    await until(async () => (await this.scene.ledger.ledger.ordersRead(ids)).length === CAPACITY);
    assert.is(new Set(ids).size, CAPACITY);
    assert.is((await this.scene.ledger.stock(skuId)).held, CAPACITY);
  }

  /** Gate and stream are in use again in every process, nobody waits in one, and the ledger adds up. */
  async isMended(): Promise<void> {
    const closed = ({ stock }: InstanceStatus): boolean => stock?.gateBreaker === 1 && stock.streamBreaker === 1;
    await this.sees(closed);
    const storeId = `store-${randomUUID()}`;
    const { skuId } = await this.scene.ledger.sku({ storeId, capacity: 100 });
    await until(async () => {
      await insist(this.gateway, this.somebody(skuId, storeId));
      return (await this.scene.journal.knows(skuId)) && (await this.status()).every(closed);
    });
    await this.scene.assertAtRest(this.inventories[0] ?? '');
    for (const { stock } of await this.status()) assert.equal([stock?.inFlight, stock?.undecided], [0, 0]);
  }

  /** Waits until every inventory says so of itself. */
  async sees(so: (status: InstanceStatus) => boolean): Promise<void> {
    await until(async () => (await this.status()).every(so), { timeoutMs: 30_000, describe: String(so) });
  }

  private async status(): Promise<InstanceStatus[]> {
    const replies = await Promise.all(this.statuses.map((client) => client.getStatus({})));
    return replies.flatMap(({ status }) => status ?? []);
  }

  async close(): Promise<void> {
    for (const client of [this.gateway, ...this.statuses]) client.close();
    await this.scene.close();
    await Promise.all([this.redis.close(), this.nats.close()]);
  }

  private somebody(skuId: string, storeId: string): Press {
    return { skuId, storeId, user: `user-${randomUUID()}`, key: 'key' };
  }
}
