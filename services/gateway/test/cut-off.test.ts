import { OrderState } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import { createRedis, type RedisClient } from '#libs/redis/redis-client.js';
import { Fault } from '#libs/refusal/fault.js';
import { createLogger } from '#libs/runtime/logger.js';
import { createMetrics } from '#libs/runtime/metrics.js';
import type { PrivateServer } from '#libs/servers/private-server.js';
import { type FaultProxy, faultProxy } from '#libs/testing/fault-proxy.js';
import { privateRedis } from '#libs/testing/private-servers.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { RedisRequests, type RedisRequestsOptions } from '../src/adapters/redis-requests.js';
import { requestKeys } from '../src/adapters/request-keys.js';
import type { Beginning } from '../src/app/ports.js';
import { type ChangesUnderTest, caseOf, changesWith, type Placing, refusalOf } from './changes-under-test.js';
import { orderOf } from './fake-peers.js';

const test = suite('gateways that are cut off');
const logger = createLogger('test', 'silent');
const unseenMs = 200;

let server: PrivateServer;
let proxy: FaultProxy;
let direct: RedisClient;
const opened: { redis: RedisClient; requests: RedisRequests }[] = [];
const working: ChangesUnderTest[] = [];
let count = 0;

const request = {
  storeId: 'store-1',
  requestId: 'key-1',
  lines: [{ skuId: 'sku-1', quantity: 1, attendeeId: '', unitPriceMinor: 0 }],
};
const holding: Placing = async ({ orderId, userId }) => {
  return { $case: 'held', value: orderOf({ orderId, userId }, OrderState.ORDER_STATE_HELD) };
};

test.before(async () => {
  server = await privateRedis();
  proxy = await faultProxy('127.0.0.1', Number(new URL(server.url).port));
  direct = await connected(server.url);
});
test.after.each(async () => {
  proxy.heal();
  for (const each of working.splice(0)) each.close();
  for (const { redis, requests } of opened.splice(0)) {
    await requests.close();
    redis.disconnect();
  }
  // Whoever could not take its leave is forgotten.
  await direct.flushall();
});
test.after(async () => {
  direct.disconnect();
  await proxy.close();
  await server.stop();
});

async function connected(url: string): Promise<RedisClient> {
  const redis = createRedis({ url, name: 'test', logger, metrics: createMetrics() });
  await new Promise<void>((resolve) => redis.once('ready', resolve));
  return redis;
}

/** A gateway's requests, by a name of its own. */
async function gateway(url: string, options: Partial<RedisRequestsOptions> = {}): Promise<RedisRequests> {
  return started(await connected(url), options);
}

function started(redis: RedisClient, options: Partial<RedisRequestsOptions>): RedisRequests {
  count += 1;
  const instance = `gateway-${count}`;
  const requests = new RedisRequests({
    redis,
    instance,
    shards: 1,
    logger,
    metrics: createMetrics(),
    unseenMs,
    awayMs: 40,
    ...options,
  });
  opened.push({ redis, requests });
  return requests;
}

function beginning(): Beginning {
  count += 1;
  const id = `order-${count}`;
  return { markId: id, shard: 0, fingerprint: 'f', owner: id, userId: '', storeId: 'store-1', skus: [] };
}

function changes(requests: RedisRequests, place: Placing): ChangesUnderTest {
  const started = changesWith(place, { requests, shards: 1 });
  working.push(started);
  return started;
}

/** For how long a gateway knows that a new request is the first of its id. */
async function vouchedFor(requests: RedisRequests): Promise<number> {
  const begun = await requests.begin(beginning());
  if (begun.kind !== 'GO') throw new Error(begun.kind);
  return begun.firstForMs;
}

test('one goes on without marks only when the others do not rely on its marks any more', async () => {
  const cutOff = await gateway(proxy.url(server.url));
  const other = await gateway(server.url);
  await until(async () => (await vouchedFor(cutOff)) > 0 && (await vouchedFor(other)) > 0);

  proxy.cut();
  const first = beginning();
  const begun = await other.begin(first);
  assert.ok(begun.kind === 'GO' && begun.firstForMs > 0, 'nobody knows yet');
  const error: unknown = await cutOff.begin(beginning()).catch((thrown: unknown) => thrown);
  assert.match(String(error), 'cannot be reached');
  assert.is(await vouchedFor(other), 0);
  const no = { kind: 'STORE', outcome: 'REFUSED', answer: Buffer.from('no') } as const;
  const end = { ...first, shut: [] };
  assert.is(await other.end({ ...end, as: { ...no, askUntil: 0 } }), false, 'the other may have begun meanwhile');
  assert.is(await other.end({ ...end, as: no }), true);

  proxy.heal();
  await until(async () => (await cutOff.begin(beginning()).catch(() => undefined)) !== undefined);
  await until(async () => (await vouchedFor(other)) > 0);
});

test('L6: a no that may have no row is not stored once another gateway went on without marks, though it is back', async () => {
  const cutOff = await gateway(proxy.url(server.url));
  const other = await gateway(server.url);
  await until(async () => (await vouchedFor(cutOff)) > 0 && (await vouchedFor(other)) > 0);
  const first = beginning();
  const begun = await other.begin(first);
  assert.ok(begun.kind === 'GO' && begun.firstForMs > 0, 'it may have no row');

  proxy.cut();
  const unmarked: unknown = await cutOff
    .begin({ ...first, owner: 'without a mark' })
    .catch((thrown: unknown) => thrown);
  assert.match(String(unmarked), 'cannot be reached');
  proxy.heal();
  await until(async () => (await cutOff.begin(beginning()).catch(() => undefined)) !== undefined);
  await until(async () => (await vouchedFor(cutOff)) > 0 && (await vouchedFor(other)) > 0);
  const no = { kind: 'STORE', outcome: 'REFUSED', answer: Buffer.from('no'), askUntil: 0 } as const;
  assert.is(await other.end({ ...first, as: no, shut: [] }), false);
});

test('L6: nor is one whose beginning reached Redis once more since', async () => {
  const requests = await gateway(server.url);
  await until(async () => (await vouchedFor(requests)) > 0);
  const first = beginning();
  await requests.begin(first);
  await direct.del(requestKeys.since(0));
  await until(async () => (await vouchedFor(requests)) > 0);
  assert.equal(await requests.begin(first), { kind: 'GO', firstForMs: 0 });
  const no = { kind: 'STORE', outcome: 'REFUSED', answer: Buffer.from('no'), askUntil: 0 } as const;
  assert.is(await requests.end({ ...first, as: no, shut: [] }), false);
});

test('one that starts anew goes on without marks only when the others do not rely on those of its earlier life', async () => {
  const earlier = await gateway(proxy.url(server.url), { instance: 'again' });
  const other = await gateway(server.url);
  await until(async () => (await vouchedFor(earlier)) > 0 && (await vouchedFor(other)) > 0);
  const redis = await connected(proxy.url(server.url));
  proxy.cut();
  const error: unknown = await started(redis, { instance: 'again' })
    .begin(beginning())
    .catch((thrown: unknown) => thrown);
  assert.match(String(error), 'cannot be reached');
  assert.is(await vouchedFor(other), 0);
});

test('one is among the gateways from its first reply on', async () => {
  // So patient that it shows itself once.
  await gateway(server.url, { instance: 'new', unseenMs: 3_600_000 });
  await until(async () => (await direct.zscore(requestKeys.gateways(0), 'new')) !== null);
});

test('one that comes back without a name for it is taken for one that was cut off', async () => {
  const other = await gateway(server.url);
  await until(async () => (await vouchedFor(other)) > 0);
  assert.is(await vouchedFor(await gateway(server.url)), 0);
});

test('a reply that was lost is asked for again, and the mark is the same try’s', async () => {
  const requests = await gateway(proxy.url(server.url));
  await until(async () => (await vouchedFor(requests)) > 0);
  const one = beginning();
  proxy.dropReplies();
  const begun = requests.begin(one);
  await until(() => proxy.stats.droppedBytes > 0);
  proxy.heal();
  assert.is((await begun).kind, 'GO');
  assert.is((await requests.begin({ ...one, owner: 'somebody else' })).kind, 'IN_PROGRESS');
});

test('one that leaves keeps nobody from relying on the marks', async () => {
  const leaving = await gateway(server.url);
  const other = await gateway(server.url);
  await until(async () => (await vouchedFor(other)) > 0);
  await leaving.close();
  const since = await vouchedFor(other);
  await until(async () => (await vouchedFor(other)) > since + 2 * unseenMs);
});

test('L6: a no whose storing got no reply is what every try is told, at whichever gateway', async () => {
  const deaf = await gateway(proxy.url(server.url));
  const other = await gateway(server.url);
  await until(async () => (await vouchedFor(deaf)) > 1 && (await vouchedFor(other)) > 1);
  const one = changes(deaf, async (hold, tries) => {
    if (tries > 1) return holding(hold, tries);
    proxy.dropReplies();
    return { $case: 'refused', value: refusalOf('REFUSAL_REASON_SOLD_OUT') };
  });
  const first = one.reserve('ana', request, 5_000);
  await until(() => one.placed.length === 1);
  assert.ok((one.placed[0]?.hold.firstForMs ?? 0) > 0, 'it may have no row');
  assert.is(caseOf(await changes(other, holding).reserve('ana', request, 5_000)), 'refused');
  proxy.heal();
  assert.is(caseOf(await first), 'refused');
  assert.is(one.placed.length, 1);
});

test('L6: a no that may have been stored is not placed again when Redis has lost it', async () => {
  const deaf = await gateway(proxy.url(server.url));
  const other = await gateway(server.url);
  await until(async () => (await vouchedFor(deaf)) > 1 && (await vouchedFor(other)) > 1);
  const one = changes(deaf, async (hold, tries) => {
    if (tries > 1) return holding(hold, tries);
    proxy.dropReplies();
    return { $case: 'refused', value: refusalOf('REFUSAL_REASON_SOLD_OUT') };
  });
  const first = one.reserve('ana', request, 5_000);
  await until(() => one.placed.length === 1);
  assert.is(caseOf(await changes(other, holding).reserve('ana', request, 5_000)), 'refused');
  await direct.flushall();
  proxy.heal();
  assert.is(caseOf(await first), 'UNAVAILABLE');
  assert.is(one.placed.length, 1);
});

test('L6: a no that is asked for again and cannot be stored is left, so that it has no effect that comes later still', async () => {
  const deaf = await gateway(proxy.url(server.url));
  const other = await gateway(server.url);
  const first = beginning();
  await deaf.begin(first);
  const dropped = proxy.stats.droppedBytes;
  proxy.blackhole();
  const no = {
    kind: 'STORE',
    outcome: 'REFUSED',
    answer: Buffer.from('no'),
    askUntil: Number.POSITIVE_INFINITY,
  } as const;
  const stored = deaf.end({ ...first, as: no, shut: [] });
  await until(() => proxy.stats.droppedBytes > dropped);
  await direct.zadd(requestKeys.gateways(0), Date.now() - 10_000, 'one that keeps no marks');
  proxy.heal();
  assert.match((await rejectionOf(stored, Fault)).message, 'not stored, or not any more');
  await direct.zrem(requestKeys.gateways(0), 'one that keeps no marks');
  assert.equal(await other.begin({ ...first, owner: 'somebody else' }), { kind: 'GO', firstForMs: 0 });
});

test.run();
