import { shardOfStore } from '#libs/contracts/order-id.js';
import { claimsSubject } from '#libs/contracts/subjects.js';
import type { ClaimToAdmit } from '#libs/ledger/claims-batch.js';
import { claimOf } from '#libs/ledger/test-ledger.js';
import { connectMessaging } from '#libs/messaging/messaging.js';
import { createLogger } from '#libs/runtime/logger.js';
import { createMetrics } from '#libs/runtime/metrics.js';
import { faultProxy } from '#libs/testing/fault-proxy.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { encode, Stage, shards } from './test-stage.js';

const test = suite('one effect per claim');
let stage: Stage;

test.before(async () => {
  stage = await Stage.open();
});
test.after(() => stage.close());

const claims = (skuId: string, count: number): ClaimToAdmit[] =>
  Array.from({ length: count }, (_, n) => claimOf(`user-${n}`, skuId));

test('what staff booked is told from what people did, also beside claims of a gate that knows no staff', async () => {
  const service = await stage.start();
  const { skuId } = await stage.ledger.sku();
  const first = claimOf('ann', skuId);
  const forced = { ...claimOf('ann', skuId), staff: { by: 'rita', forceReason: 'his mother is ill' } };
  await stage.place(first, claimOf('ann', skuId), forced);
  await stage.drained();
  const orders = await stage.ledger.ledger.ordersRead([first.orderId, forced.orderId]);
  assert.equal(orders.map(({ state, channel }) => [state, channel]).sort(), [
    ['HELD', 'APP'],
    ['HELD', 'STAFF'],
  ]);
  const { orders: all } = await stage.ledger.ledger.ordersListBySku(skuId, {});
  assert.equal(all.map(({ state }) => state).sort(), ['HELD', 'HELD', 'REFUSED']);
  await service.stop();
});

async function assertOneEffectEach(placed: readonly ClaimToAdmit[]): Promise<void> {
  for (const { orderId } of placed) {
    assert.equal(await stage.movements(orderId), ['ADMIT']);
    assert.is(await stage.count('outbox', `order_id = '${orderId}'`), 1);
  }
}

/** Makes the writing of orders take so long, once for each admission. */
async function slowDown(seconds: number): Promise<() => Promise<unknown>> {
  await stage.ledger.sql(`
    CREATE FUNCTION public.slow() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM pg_sleep(${seconds}); RETURN NULL; END $$;
    GRANT EXECUTE ON FUNCTION public.slow TO PUBLIC;
    CREATE TRIGGER slow AFTER INSERT ON ledger.orders FOR EACH STATEMENT EXECUTE FUNCTION public.slow()`);
  return () => stage.ledger.sql('DROP FUNCTION public.slow() CASCADE');
}

test('a claim becomes an order, is told, and leaves the stream', async () => {
  const order = await stage.start();
  const { skuId } = await stage.ledger.sku({ capacity: 1 });
  const [first, second] = [claimOf('ann', skuId), claimOf('bob', skuId)];
  await stage.place(first, second);
  await stage.drained();
  const [held] = await until(() => stage.decisions.get(first.orderId));
  assert.is(held?.decided?.$case, 'order');
  assert.is(stage.decisions.get(second.orderId)?.[0]?.decided?.$case, 'refusal');
  const { order: known } = await order.client.getOrder({ orderId: first.orderId, userId: 'ann' });
  assert.is(known?.expiresAt?.getTime(), (known?.createdAt?.getTime() ?? 0) + 900_000);
  await order.stop();
});

test('D01 messages that age in two workers with slow admissions have one effect each', async () => {
  const settings = { claimsAckWaitMs: 1_000 };
  const { skuId } = await stage.ledger.sku();
  const placed = claims(skuId, 6);
  const quicken = await slowDown(0.6);
  const workers = await Promise.all([stage.start(settings), stage.start(settings)]);
  for (const claim of placed) await stage.place(claim);
  await stage.drained(20_000);
  await assertOneEffectEach(placed);
  await quicken();
  await Promise.all(workers.map((worker) => worker.stop()));
});

// No keep-alive is sent that could be lost: whoever is slow is run again, and the row absorbs it.
test('D02 an admission that takes three times the ack-wait is run again elsewhere without effect', async () => {
  const settings = { claimsAckWaitMs: 500 };
  const { skuId } = await stage.ledger.sku();
  const placed = claims(skuId, 3);
  const quicken = await slowDown(1.5);
  const workers = await Promise.all([stage.start(settings), stage.start(settings)]);
  await stage.place(...placed);
  const stream = `CLAIMS_${shardOfStore('store-1', shards)}`;
  await until(
    async () => (await stage.streams.consumers.info(stream, stream.replace('CLAIMS', 'order'))).num_redelivered > 0,
  );
  await until(() => placed.every(({ orderId }) => stage.decisions.has(orderId)));
  await quicken();
  await stage.drained(20_000);
  await assertOneEffectEach(placed);
  await Promise.all(workers.map((worker) => worker.stop()));
});

test('D05 a claim stored twice because its PubAck was lost is one order', async () => {
  const order = await stage.start();
  const proxy = await faultProxy('127.0.0.1', stage.nats.port);
  const logger = createLogger('test', 'silent');
  const url = proxy.url(stage.nats.url);
  const publisher = connectMessaging({ url, name: 'publisher', logger, metrics: createMetrics() });
  await until(() => publisher.connected);
  const { skuId } = await stage.ledger.sku();
  const claim = claimOf('ann', skuId);
  const subject = claimsSubject(shardOfStore(claim.storeId, shards));

  proxy.dropReplies();
  const unknown = await publisher.store(subject, encode([claim]), { timeoutMs: 500 }).then(
    () => 'stored',
    (error: unknown) => (error as { reason: string }).reason,
  );
  assert.is(unknown, 'UNAVAILABLE');
  await until(() => stage.decisions.has(claim.orderId));
  proxy.heal();
  await until(async () => await publisher.store(subject, encode([claim]), { timeoutMs: 2_000 }));
  await until(() => stage.decisions.get(claim.orderId)?.length === 2);
  await stage.drained();
  await assertOneEffectEach([claim]);
  await publisher.close();
  await proxy.close();
  await order.stop();
});

test('D07 copies stored long after the first are absorbed by the row and acked', async () => {
  const order = await stage.start();
  const { skuId } = await stage.ledger.sku();
  const claim = claimOf('ann', skuId);
  for (const copy of [1, 2, 3]) {
    await stage.place(claim);
    await until(() => stage.decisions.get(claim.orderId)?.length === copy);
  }
  await stage.drained();
  await assertOneEffectEach([claim]);
  const stream = `CLAIMS_${shardOfStore(claim.storeId, shards)}`;
  assert.is((await stage.streams.consumers.info(stream, stream.replace('CLAIMS', 'order'))).num_redelivered, 0);
  await order.stop();
});

test('D17 a connection lost between commit and ack brings the claim again, to no effect', async () => {
  const proxy = await faultProxy('127.0.0.1', stage.nats.port);
  const order = await stage.start({ natsUrl: proxy.url(stage.nats.url), claimsAckWaitMs: 1_000 });
  const { skuId } = await stage.ledger.sku();
  const claim = claimOf('ann', skuId);
  const quicken = await slowDown(0.4);
  await stage.place(claim);
  await until(async () => await isAdmitting());
  proxy.cut();
  await until(async () => (await stage.movements(claim.orderId)).length === 1);
  await quicken();
  assert.not(stage.decisions.has(claim.orderId));
  proxy.heal();
  await until(() => stage.decisions.has(claim.orderId));
  await stage.drained();
  await assertOneEffectEach([claim]);
  await order.stop();
  await proxy.close();
});

test('a claim stored too late has no effect and is told so, unless an earlier copy was decided', async () => {
  const order = await stage.start();
  const { skuId } = await stage.ledger.sku();
  const [late, known] = [claimOf('ann', skuId), claimOf('bob', skuId)];
  const longAgo = new Date(Date.now() - 5_000);
  await stage.place(known);
  await until(() => stage.decisions.has(known.orderId));
  const subject = claimsSubject(shardOfStore(late.storeId, shards));
  await stage.store(subject, encode([late, known], longAgo));
  await stage.drained();
  await until(() => stage.decisions.get(known.orderId)?.length === 2);
  assert.equal(
    stage.decisions.get(known.orderId)?.map(({ decided }) => decided?.$case),
    ['order', 'order'],
  );
  assert.equal(
    stage.decisions.get(late.orderId)?.map(({ decided }) => decided?.$case),
    ['error'],
  );
  assert.equal(await stage.movements(late.orderId), []);
  await order.stop();
});

async function isAdmitting(): Promise<boolean> {
  const rows = await stage.ledger.sql(
    `SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()`,
  );
  return rows.length > 0;
}

test.run();
