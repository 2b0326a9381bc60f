import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { shardOfStore } from '#libs/contracts/order-id.js';
import { claimsStream, claimsSubject } from '#libs/contracts/subjects.js';
import type { ClaimToAdmit } from '#libs/ledger/claims-batch.js';
import { claimOf } from '#libs/ledger/test-ledger.js';
import { connectMessaging } from '#libs/messaging/messaging.js';
import { createLogger } from '#libs/runtime/logger.js';
import { createMetrics } from '#libs/runtime/metrics.js';
import { freePort } from '#libs/servers/free-port.js';
import { faultProxy } from '#libs/testing/fault-proxy.js';
import { privateNats } from '#libs/testing/private-servers.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { encode, Stage, shards } from './test-stage.js';

const test = suite('claims while a server is away');
const shard = shardOfStore('store-1', shards);
let stage: Stage;

test.before.each(async () => {
  stage = await Stage.open();
});
test.after.each(() => stage.close());

async function newClaims(count: number): Promise<ClaimToAdmit[]> {
  const { skuId } = await stage.ledger.sku({ capacity: count });
  return Array.from({ length: count }, (_, n) => claimOf(`user-${n}`, skuId));
}

/** Asks for rows: what is told while a server is away is not always heard. */
async function assertAllHeld(placed: readonly ClaimToAdmit[]): Promise<void> {
  const [last] = placed.slice(-1);
  await until(async () => last && (await stage.movements(last.orderId)).length > 0, { timeoutMs: 20_000 });
  await stage.drained(20_000);
  for (const { orderId } of placed) assert.equal(await stage.movements(orderId), ['ADMIT']);
}

test('D03 claims delivered again and again while the ledger is away become orders when it is back', async () => {
  const proxy = await faultProxy('127.0.0.1', Number(new URL(stage.ledger.url).port));
  const order = await stage.start({ databaseUrl: proxy.url(stage.ledger.url) });
  const placed = await newClaims(5);
  proxy.cut();
  for (const claim of placed) await stage.place(claim);
  const perMessage = 8;
  await until(async () => (await order.metric('claims_given_back_total')) > perMessage * placed.length);
  proxy.heal();
  await assertAllHeld(placed);
  assert.is(await stage.count('dead_letters'), 0);
  await order.stop();
  await proxy.close();
});

test('D18 an order service that starts before the ledger waits for it, alive and not ready', async () => {
  const proxy = await faultProxy('127.0.0.1', Number(new URL(stage.ledger.url).port));
  proxy.cut();
  const adminPort = await freePort();
  const admin = { adminAddress: `127.0.0.1:${adminPort}` };
  const starting = stage.start({ ...admin, databaseUrl: proxy.url(stage.ledger.url) });
  const status = async (path: string) => (await fetch(`http://127.0.0.1:${adminPort}${path}`)).status;
  await until(async () => (await status('/livez')) === 200);
  assert.is(await status('/readyz'), 503);
  proxy.heal();
  const order = await starting;
  await until(async () => (await status('/readyz')) === 200);
  const placed = await newClaims(1);
  await stage.place(...placed);
  await assertAllHeld(placed);
  await order.stop();
  await proxy.close();
});

test('D13 a durable that is deleted under load is made again and every claim decided', async () => {
  const order = await stage.start();
  const placed = await newClaims(60);
  for (const [n, claim] of placed.entries()) {
    await stage.place(claim);
    if (n === 20) await stage.streams.consumers.delete(claimsStream(shard), `order_${shard}`);
  }
  await assertAllHeld(placed);
  await order.stop();
});

test('a stream that is deleted is made again with its pinned settings', async () => {
  const order = await stage.start();
  const [first, second] = await newClaims(2);
  if (!first || !second) throw new Error('two claims');
  await stage.place(first);
  await assertAllHeld([first]);
  await stage.streams.streams.delete(claimsStream(shard));
  await stage.place(second);
  await assertAllHeld([second]);
  const { config } = await stage.streams.streams.info(claimsStream(shard));
  assert.equal([config.retention, config.discard, config.storage], ['workqueue', 'new', 'file']);
  await order.stop();
});

test('D14 after a freeze of NATS past its heartbeats the lag returns to zero each time', async () => {
  const order = await stage.start();
  for (const _ of [1, 2]) {
    const placed = await newClaims(5);
    stage.nats.freeze();
    await until(() => !stage.messaging.connected);
    stage.nats.thaw();
    for (const claim of placed) await stage.place(claim);
    await assertAllHeld(placed);
  }
  await order.stop();
});

test('D18 an order service that starts before NATS serves at once and takes claims when it comes', async () => {
  const port = await freePort();
  const url = `nats://127.0.0.1:${port}`;
  const order = await stage.start({ natsUrl: url });
  const [claim] = await newClaims(1);
  if (!claim) throw new Error('a claim');
  const unknown = await order.client.getOrder({ orderId: claim.orderId, userId: '' }).catch((fault) => fault.reason);
  assert.is(unknown, 'ORDER_NOT_FOUND');

  const late = await privateNats({ port });
  const publisher = connectMessaging({
    url,
    name: 'publisher',
    logger: createLogger('test', 'silent'),
    metrics: createMetrics(),
  });
  await until(() => publisher.store(claimsSubject(shard), encode([claim]), { timeoutMs: 1_000 }));
  await until(() => order.client.getOrder({ orderId: claim.orderId, userId: '' }));
  await publisher.close();
  await order.stop();
  await late.stop();
});

test('D08 a power cut that takes the stream back to an earlier hour repeats no effect, and new claims flow', async () => {
  const placed = await newClaims(20);
  const first = await stage.start();
  const [opener] = await newClaims(1);
  if (!opener) throw new Error('a claim');
  await stage.place(opener);
  await assertAllHeld([opener]);
  await first.stop();
  for (const claim of placed) await stage.place(claim);

  const store = join(stage.nats.directory, 'store');
  await stage.nats.kill();
  cpSync(store, `${store}-earlier`, { recursive: true });
  await stage.nats.start();
  const second = await stage.start();
  await assertAllHeld(placed);

  await stage.nats.kill();
  rmSync(store, { recursive: true });
  cpSync(`${store}-earlier`, store, { recursive: true });
  await stage.nats.start();
  const fresh = await newClaims(5);
  for (const claim of fresh) await stage.place(claim);
  await assertAllHeld(fresh);
  await assertAllHeld(placed);
  await second.stop();
});

test.run();
