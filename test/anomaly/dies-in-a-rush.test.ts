import { randomBytes } from 'node:crypto';
import { ReconcileServiceDefinition } from '#libs/contracts/gen/holdfast/control/v1/reconcile_service.js';
import { connect } from '#libs/rpc/client.js';
import { assert, suite } from '#libs/testing/suite.js';
import { bearerOf, tokenOf } from '#libs/testing/test-issuer.js';
import { until } from '#libs/testing/until.js';
import { signWebhook } from '#libs/webhook/signature.js';
import { HttpDoor } from '../../deploy/rush/http-door.js';
import { HttpPool } from '../../deploy/rush/http-pool.js';
import type { Outcome } from '../../deploy/rush/outcome.js';
import { type Person, person } from '../../deploy/rush/scenario.js';
import { Visit } from '../../deploy/rush/visit.js';
import { unlimited } from '../unlimited.js';
import type { Victim } from '../victim.js';
import { Scene } from './scene.js';

const test = suite('order service and gateway die in the middle of a rush');
const capacity = 200;
const people = 1_000;
const storeId = 'store-1';
/** How many have heard of their hold when the order service dies, and then the gateway: once early and once late. */
const deaths = [
  { order: 20, gateway: 60 },
  { order: 110, gateway: 150 },
] as const;
/** How many requests are on their way at most. */
const sockets = 100;

let scene: Scene;
let order: Victim;
let gateway: Victim;
let inventory: string;
let pool: HttpPool;
let http: string;
/** Of the provider. */
const secret = `whsec_${randomBytes(32).toString('base64')}`;
/** Orders whose payment nobody has taken note of yet. */
const unanswered = new Set<string>();

test.before(async () => {
  scene = await Scene.open();
  const { services, ledger, redis, nats } = scene;
  const env = { CLAIMS_ACK_WAIT_MS: '1000' };
  order = await scene.victim('order', { postgres: ledger.url, nats: nats.url }, env);
  inventory = (await services.inventory()).grpcAddress;
  const upstreams = { inventory, order: order.address, redis: redis.url };
  gateway = await scene.victim('gateway', upstreams, unlimited);
  const secrets = { PAYMENT_NOTICE_SECRETS: `sandbox=${secret}` };
  http = (await services.bff({ gateway: gateway.address }, secrets)).httpAddress;
  pool = new HttpPool(http, sockets);
});
test.after(async () => {
  pool.close();
  await scene.close();
});

/** Everybody comes at once and presses until there is an answer. Whoever has a hold pays. */
class Rush {
  /** How many were told of a hold. */
  heard = 0;
  #answered = 0;
  #wake = (): void => undefined;
  readonly outcomes: Promise<Outcome[]>;

  constructor(skuId: string) {
    const startsAt = Date.now();
    const crowd = Array.from({ length: people }, (_, n): Person => {
      return person({ userId: `user-${n}`, storeId, arrivesAtMs: 0, lines: [{ skuId, quantity: 1 }] });
    });
    this.outcomes = Promise.all(crowd.map((one) => this.#come(one, startsAt)));
  }

  /** Resolves as soon as so many were told of a hold, or everybody has an answer. */
  async hasHeard(count: number): Promise<void> {
    while (this.heard < count && this.#answered < people) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async #come(one: Person, startsAt: number): Promise<Outcome> {
    const [outcome] = await new Visit(one, new HttpDoor(pool, tokenOf(one.userId)), startsAt).run();
    if (outcome === undefined) throw new Error('nobody pressed');
    const [orderId] = outcome.heldIds;
    if (orderId !== undefined) {
      this.heard += 1;
      unanswered.add(orderId);
    }
    this.#answered += 1;
    this.#wake();
    return outcome;
  }
}

/** Both die, each at its moment, and come back. Returns how many had heard at each death. */
async function die(rush: Rush): Promise<number[]> {
  const heard: number[] = [];
  for (const at of deaths) {
    await rush.hasHeard(at.order);
    heard.push(rush.heard);
    const orderIsBack = order.restart();
    await rush.hasHeard(at.gateway);
    heard.push(rush.heard);
    await Promise.all([gateway.kill(), orderIsBack]);
    await gateway.restart();
  }
  return heard;
}

/** The provider tells that it has captured the money for an order, once. */
async function tell(orderId: string): Promise<void> {
  const money = { provider_payment_id: `pay-${orderId}`, amount_minor: 1_500, currency: 'EUR' };
  const body = JSON.stringify({ type: 'payment.captured', data: { order_id: orderId, ...money } });
  const signed = signWebhook(secret, { id: `msg-${orderId}`, at: new Date(), body });
  const headers = { 'content-type': 'application/json', ...signed };
  const { status } = await fetch(`${http}/v1/payments/notices/sandbox`, { method: 'POST', headers, body });
  if (status === 204) unanswered.delete(orderId);
}

/** The provider tells of each payment until that is answered; resolves when the rush is over and nothing is left to tell. */
async function provide(rush: Rush): Promise<void> {
  let isOver = false;
  const over = rush.outcomes.then(() => {
    isOver = true;
  });
  await until(
    async () => {
      await Promise.all([...unanswered].map(tell));
      return isOver && unanswered.size === 0;
    },
    { timeoutMs: 60_000, describe: () => `${unanswered.size} payments are not answered` },
  );
  await over;
}

/** Ids of orders that somebody was told of and that the person does not find. */
async function notFound(outcomes: readonly Outcome[]): Promise<string[]> {
  const missing: string[] = [];
  for (const { userId, heldIds, pendingIds } of outcomes) {
    for (const id of new Set([...heldIds, ...pendingIds])) {
      const response = await fetch(`${http}/v1/orders/${id}`, { headers: { authorization: bearerOf(userId) } });
      const { order_id: found, state } = (await response.json()) as Record<string, unknown>;
      if (found !== id || state !== 'CONFIRMED') missing.push(`${id} ${response.status} ${state}`);
    }
  }
  return missing;
}

/** What a look at everything finds. */
async function findings(): Promise<object[]> {
  const client = connect(ReconcileServiceDefinition, inventory, { defaultDeadlineMs: 60_000 });
  const { plan } = await client.planReconcile({ skuIds: [], endedOnly: false, requestId: 'after-the-rush' });
  client.close();
  return plan?.findings ?? [{}];
}

/** Payments with the orders that they confirmed, each once. */
async function paidOrders(): Promise<string[]> {
  const rows = await scene.ledger.sql<{ line: string }>(
    `SELECT concat_ws(' ', p.provider_payment_id, p.state, o.state) AS line
     FROM ledger.payments AS p LEFT JOIN ledger.orders AS o USING (order_id)`,
  );
  return rows.map(({ line }) => line).sort();
}

test('A19: order service and gateway die twice each: nobody who was told yes or paid is lost, and nothing is sold twice', async () => {
  const { skuId } = await scene.ledger.sku({ storeId, capacity });
  const rush = new Rush(skuId);
  const [heard, outcomes] = await Promise.all([die(rush), rush.outcomes, provide(rush)]);

  const answers = (answer: string): Outcome[] => outcomes.filter((outcome) => outcome.answer === answer);
  const ids = answers('HELD').flatMap(({ heldIds }) => heldIds);
  assert.equal([ids.length, new Set(ids).size], [capacity, capacity]);
  assert.is(answers('REFUSED').length, people - capacity);
  assert.ok(
    heard.every((count) => count < capacity),
    `${heard} had heard when they died`,
  );

  assert.equal(await notFound(outcomes), []);
  assert.equal(await paidOrders(), ids.map((id) => `pay-${id} CAPTURED CONFIRMED`).sort());
  const { free, held, sold } = await scene.ledger.stock(skuId);
  assert.equal([free, held, sold], [0, 0, capacity]);
  await scene.assertAtRest(inventory);
  assert.equal(await findings(), []);
});

test.run();
