import { randomUUID } from 'node:crypto';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import type { Begun } from '../app/ports.js';
import type { RedisRequests } from './redis-requests.js';
import { requestKeys } from './request-keys.js';
import { beginAll, beginning, crowd, kindsOf, limitOf, RequestsStage } from './test-redis-requests.js';

const test = suite('buckets');
let stage: RequestsStage;
let gateway: RedisRequests;

test.before(async () => {
  stage = await RequestsStage.open();
  gateway = stage.gateway();
});
test.after(() => stage.close());

/** So slow that no token comes back while a test runs. */
const NEVER = 0.001;

function bucketKey(skuId: string, storeId = 'store'): string {
  return requestKeys.ofSkus(0, [{ storeId, skuId }])[0] ?? '';
}

function admitted(begun: readonly Begun[]): number {
  return kindsOf(begun).GO ?? 0;
}

/** The clock of Redis in microseconds. */
async function redisNow(): Promise<number> {
  const [seconds, micros] = await stage.redis.time();
  return Number(seconds) * 1_000_000 + Number(micros);
}

test('C01: whoever calls from where, never more than the burst and what came since passes', async () => {
  const gateways = [gateway, stage.gateway()];
  const sku = limitOf('c01', 500, 50);
  const startedAt = await redisNow();
  let passed = 0;
  for (let calls = 0; calls < 1_000; calls += 10) {
    const [a, b] = [crowd(3, sku), crowd(7, sku)];
    for (const begun of await Promise.all([beginAll(gateway, a), beginAll(gateways[1] ?? gateway, b)])) {
      passed += admitted(begun);
    }
    const seconds = ((await redisNow()) - startedAt) / 1_000_000;
    assert.ok(passed <= 50 + 500 * seconds + 1, `${passed} passed within ${seconds} s`);
  }
  assert.ok(passed >= 50);
});

test('C01: a bucket is never set back, not by one who is refused either', async () => {
  const sku = limitOf('c01-back', NEVER, 5);
  await beginAll(gateway, crowd(5, sku));
  const full = await stage.redis.get(bucketKey('c01-back'));
  assert.is(admitted(await beginAll(gateway, crowd(20, sku))), 0);
  assert.is(await stage.redis.get(bucketKey('c01-back')), full);
});

test('C03: time spent full is not credited later', async () => {
  const hourAgo = (await redisNow()) - 3_600_000_000;
  await stage.redis.set(bucketKey('c03'), `${hourAgo}:1:50`);
  assert.is(admitted(await beginAll(gateway, crowd(100, limitOf('c03', NEVER, 50)))), 50);
});

test('C04: even traffic at the rate passes, whatever the second', async () => {
  const sku = limitOf('c04', 500, 500);
  const startedAt = performance.now();
  const calls: Promise<Begun>[] = [];
  await until(() => {
    const due = Math.min(750, Math.floor((performance.now() - startedAt) / 2));
    while (calls.length < due) calls.push(...crowd(1, sku).map((each) => gateway.begin(each)));
    return due === 750;
  });
  assert.ok(admitted(await Promise.all(calls)) >= 0.98 * 750);
});

test('C04: the next token comes within an interval, not with the next second', async () => {
  const sku = limitOf('c04-next', 100, 10);
  for (let rounds = 0; rounds < 5; rounds += 1) {
    const last = (await beginAll(gateway, crowd(100, sku))).at(-1);
    assert.ok(last?.kind === 'LIMITED' && last.retryAfterMs >= 1 && last.retryAfterMs <= 10, JSON.stringify(last));
    await until(async () => admitted(await beginAll(gateway, crowd(1, sku))) === 1);
  }
});

test('C05: a bucket that was forgotten gives its burst and not more, and is not shut', async () => {
  const sku = limitOf('c05', 20, 10);
  assert.is(admitted(await beginAll(gateway, crowd(20, sku))), 10);
  const left = await stage.redis.pttl(bucketKey('c05'));
  assert.ok(left >= 500 && left <= 1_500, `it is kept for ${left} ms, and full within 500`);
  await until(async () => (await stage.redis.exists(bucketKey('c05'))) === 0);
  assert.is(admitted(await beginAll(gateway, crowd(20, sku))), 10);
});

test('C05: nor does one give more just before it is forgotten', async () => {
  const sku = limitOf('c05-last', 20, 10);
  await beginAll(gateway, crowd(20, sku));
  await until(async () => (await stage.redis.pttl(bucketKey('c05-last'))) < 900);
  assert.ok(admitted(await beginAll(gateway, crowd(30, sku))) <= 12);
});

test('C05: a clock that was set back shuts nobody out for long', async () => {
  const sku = limitOf('c05-back', 20, 10);
  await stage.redis.set(bucketKey('c05-back'), `${(await redisNow()) + 3_600_000_000}:20:10`);
  const [first] = await beginAll(gateway, crowd(1, sku));
  assert.equal(first, {
    kind: 'LIMITED',
    limit: 'STORE_SKU',
    skuId: 'c05-back',
    perSecond: 20,
    burst: 10,
    retryAfterMs: 50,
  });
  await until(async () => admitted(await beginAll(gateway, crowd(1, sku))) === 1);
});

test('C09: each store and sku has its own bucket, however their names are cut', async () => {
  const [hot, cold] = [limitOf('c', NEVER, 3), limitOf('b:c', NEVER, 3)];
  const hotCrowd = crowd(150, hot).map((each) => ({ ...each, storeId: 'a:b' }));
  const coldCrowd = crowd(3, cold).map((each) => ({ ...each, storeId: 'a' }));
  const begun = await beginAll(gateway, [...hotCrowd, ...coldCrowd]);
  assert.is(admitted(begun.slice(0, 150)), 3);
  assert.is(admitted(begun.slice(150)), 3);
});

test('C09: a hot store does not starve a cold one, in whatever batches they come', async () => {
  const [hot, cold] = [limitOf('hot', 10, 10), limitOf('cold', 1_000, 10)];
  for (let rounds = 0; rounds < 20; rounds += 1) {
    const hotOnes = beginAll(gateway, crowd(500, hot));
    const coldOnes = beginAll(
      gateway,
      crowd(1, cold).map((each) => ({ ...each, storeId: 'quiet' })),
    );
    assert.is(admitted(await coldOnes), 1);
    await hotOnes;
  }
});

test('C10: scripts that are flushed under load fail nobody', async () => {
  const flushing: Promise<unknown>[] = [];
  const begun: Promise<Begun[]>[] = [];
  for (let rounds = 0; rounds < 50; rounds += 1) {
    flushing.push(stage.redis.script('FLUSH'));
    const all = crowd(20);
    begun.push(beginAll(gateway, all));
    flushing.push(...all.map(({ markId, shard, owner }) => gateway.renew({ markId, shard, owner })));
    flushing.push(gateway.lease({ limit: 'CALLER', id: 'c10', perSecond: 10, burst: 10, wanted: 1 }));
    await begun.at(-1);
  }
  await Promise.all(flushing);
  assert.is(admitted((await Promise.all(begun)).flat()), 1_000);
});

test('a user has a bucket, whatever the sku, and it is asked before all others', async () => {
  const userId = randomUUID();
  const slow = stage.gateway({ user: { perSecond: 0.5, burst: 4 } });
  const [sku, other] = [limitOf('user-a', NEVER, 50), limitOf('user-b', NEVER, 50)];
  const all = [...crowd(3, sku), ...crowd(3, other)].map((each) => ({ ...each, userId }));
  const begun = await beginAll(slow, all);
  assert.equal(kindsOf(begun), { GO: 4, LIMITED: 2 });
  assert.equal(begun[5], { kind: 'LIMITED', limit: 'USER', perSecond: 0.5, burst: 4, retryAfterMs: 2_000 });
  assert.is(admitted(await beginAll(slow, crowd(60, other))), 49, 'the refused spent no token of the sku');
});

test('a request of nobody has no bucket of a user', async () => {
  assert.is(
    admitted(
      await beginAll(
        gateway,
        crowd(200).map((each) => ({ ...each, userId: '' })),
      ),
    ),
    200,
  );
});

test('all tokens or none are spent', async () => {
  const [plenty, none] = [limitOf('plenty', NEVER, 5), limitOf('none', NEVER, 1)];
  const userId = randomUUID();
  await beginAll(gateway, crowd(1, none));
  for (const skus of [
    [plenty, none],
    [none, plenty],
  ]) {
    const begun = await beginAll(
      gateway,
      Array.from({ length: 60 }, () => beginning({ userId, skus })),
    );
    assert.ok(begun.every((each) => each.kind === 'LIMITED' && each.skuId === 'none'));
  }
  assert.is(admitted(await beginAll(gateway, crowd(10, plenty))), 5);
  const ofUser = Array.from({ length: 50 }, () => beginning({ userId }));
  assert.ok(admitted(await beginAll(gateway, ofUser)) >= 40);
});

test('the time at which a token will be there is exact', async () => {
  const begun = await beginAll(gateway, crowd(6, limitOf('exact', 3, 5)));
  assert.equal(begun[5], {
    kind: 'LIMITED',
    limit: 'STORE_SKU',
    skuId: 'exact',
    perSecond: 3,
    burst: 5,
    retryAfterMs: 334,
  });
});

test('a limit without a rate fails its call, and nothing of its batch is spent', async () => {
  const sku = limitOf('broken', NEVER, 1);
  const begun = await Promise.allSettled(
    [...crowd(1, sku), ...crowd(1, limitOf('x', 0, 5))].map((b) => gateway.begin(b)),
  );
  assert.equal(
    begun.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  assert.is(admitted(await beginAll(gateway, crowd(1, sku))), 1);
});

test('leases of one bucket share it, and learn when there will be more', async () => {
  const bucket = { limit: 'CALLER', id: '10.0.0.7', perSecond: 2, burst: 10 } as const;
  const leases = await Promise.all([4, 4, 4, 1].map((wanted) => gateway.lease({ ...bucket, wanted })));
  assert.equal(leases, [
    { tokens: 4, retryAfterMs: 0 },
    { tokens: 4, retryAfterMs: 0 },
    { tokens: 2, retryAfterMs: 0 },
    { tokens: 0, retryAfterMs: 500 },
  ]);
  const others = await Promise.all([
    gateway.lease({ ...bucket, id: '10.0.0.8', wanted: 1 }),
    gateway.lease({ ...bucket, limit: 'USER', wanted: 1 }),
  ]);
  assert.equal(
    others.map(({ tokens }) => tokens),
    [1, 1],
  );
});

test('gateways count each other while they are there', async () => {
  const alone = stage.gateway({ shards: 1 });
  const count = stage.gateways;
  await until(() => alone.gateways === count);
  const more = stage.gateway();
  await until(() => alone.gateways === count + 1);
  await more.close();
  await until(() => alone.gateways === count);
});

test.run();
