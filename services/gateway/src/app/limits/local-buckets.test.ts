import { seeded } from '#libs/testing/seeded.js';
import { assert, suite } from '#libs/testing/suite.js';
import type { SkuLimit } from '../ports.js';
import { LocalBuckets } from './local-buckets.js';

const test = suite('LocalBuckets');

let now = 0;
test.before.each(() => {
  now = 0;
});

const unlimited = { perSecond: 1_000_000, burst: 1_000_000 };
const sku = (skuId: string, perSecond = 50, burst = perSecond): SkuLimit => {
  return { skuId, perSecond, burst, onBusy: 'FAIL', issuedOnly: false };
};

function buckets(gateways = 1, user = unlimited): LocalBuckets {
  return new LocalBuckets({ requests: { gateways }, user, now: () => now });
}

const shutFor = (forMs: number, skuId = 'a', storeId = 'store') => [{ storeId, skuId, forMs }];

/** How many of `calls` in this instant pass. */
function passes(local: LocalBuckets, calls: number, skus: SkuLimit[], userId = 'ana', storeId = 'store'): number {
  let passed = 0;
  for (let i = 0; i < calls; i += 1) passed += local.take({ userId, storeId, skus }) === undefined ? 1 : 0;
  return passed;
}

test('the bucket of a sku begins nearly empty: a tenth of the rate, at least one', () => {
  assert.is(passes(buckets(), 100, [sku('a', 50)]), 5);
  assert.is(passes(buckets(), 100, [sku('a', 2)]), 1);
  assert.is(passes(buckets(), 100, [sku('a', 50, 3)]), 3);
});

test('of a gateway that shares with nobody, the bucket of a sku has its whole burst', () => {
  const local = new LocalBuckets({ requests: undefined, user: unlimited, now: () => now });
  assert.is(passes(local, 100, [sku('a', 50, 30)]), 30);
  now = 100;
  assert.is(passes(local, 100, [sku('a', 50, 30)]), 5);
});

test('C07: two gateways by themselves give out five percent more than the rate at most', () => {
  const random = seeded();
  const both = [buckets(2), buckets(2)];
  let passed = 0;
  for (; now < 30_000; now += 1 + random.next()) {
    for (const local of both) passed += passes(local, 2, [sku('a', 50)]);
  }
  assert.ok(passed <= 50 * 30 * 1.05, `${passed}`);
  assert.ok(passed >= 50 * 30 * 0.98, `${passed}`);
});

test('C03: time spent full is not credited', () => {
  const local = buckets();
  passes(local, 1, [sku('a', 50)]);
  now = 3_600_000;
  assert.is(passes(local, 100, [sku('a', 50)]), 5);
});

test('who is refused is told the exact time', () => {
  const local = buckets(2);
  const asked = { userId: 'ana', storeId: 'store', skus: [sku('a', 30)] };
  local.take(asked);
  const limited = local.take(asked);
  assert.equal(limited, {
    kind: 'LIMITED',
    limit: 'STORE_SKU',
    skuId: 'a',
    perSecond: 30,
    burst: 30,
    retryAfterMs: 34,
  });
  now = 33;
  assert.is(local.take(asked)?.retryAfterMs, 1);
  now = 34;
  assert.is(local.take(asked), undefined);
});

test('a user has a bucket of their own over all skus, full with its part of the burst at first', () => {
  const local = buckets(2, { perSecond: 20, burst: 40 });
  let passed = 0;
  for (let i = 0; i < 30; i += 1) passed += passes(local, 1, [sku(`sku-${i}`)]);
  assert.is(passed, 20);
  const limited = local.take({ userId: 'ana', storeId: 'other', skus: [sku('b')] });
  assert.equal(limited, { kind: 'LIMITED', limit: 'USER', perSecond: 20, burst: 40, retryAfterMs: 100 });
  assert.is(passes(local, 1, [sku('b')], 'ben'), 1);
});

test('a sku that is shut lets everybody pass for so long, and its tokens are there afterwards', () => {
  const local = buckets();
  assert.is(passes(local, 10, [sku('a', 10)]), 1);
  local.heard(shutFor(1_000));
  now = 999;
  assert.is(passes(local, 100, [sku('a', 10)]), 100);
  now = 1_000;
  assert.is(passes(local, 10, [sku('a', 10)]), 1);
});

test('who hears that there are units again opens the sku', () => {
  const local = buckets();
  local.heard(shutFor(1_000));
  local.heard(shutFor(0));
  assert.is(passes(local, 10, [sku('a', 10)]), 1);
});

test('a sku that is shut lets nobody pass another one, and the user pays', () => {
  const local = buckets(1, { perSecond: 20, burst: 3 });
  local.heard([...shutFor(1_000), ...shutFor(1_000, 'b:c', 'a')]);
  assert.is(passes(local, 10, [sku('a', 10), sku('b', 10)], 'ben'), 1);
  assert.is(passes(local, 10, [sku('c', 10)], 'cid', 'a:b'), 1);
  assert.is(passes(local, 10, [sku('a', 10)]), 3);
});

test('no more than ten thousand are remembered to be shut', () => {
  const local = buckets();
  for (let i = 0; i <= 10_000; i += 1) local.heard(shutFor(1_000, `sku-${i}`));
  assert.is(passes(local, 10, [sku('sku-0', 10)]), 1);
  assert.is(passes(local, 10, [sku('sku-10000', 10)]), 10);
});

test('of several skus a token each is spent or none, and the last to have one names the time', () => {
  const local = buckets();
  passes(local, 5, [sku('a', 50)]);
  passes(local, 1, [sku('b', 10)]);
  const limited = local.take({ userId: 'ana', storeId: 'store', skus: [sku('a', 50), sku('b', 10), sku('c', 50)] });
  assert.is(limited?.skuId, 'b');
  assert.is(limited?.retryAfterMs, 100);
  assert.is(passes(local, 10, [sku('c', 50)]), 5);
  now = 100;
  assert.is(passes(local, 10, [sku('a', 50), sku('b', 10)]), 1);
});

test('a refused reservation costs the user nothing', () => {
  const local = buckets(1, { perSecond: 20, burst: 2 });
  assert.is(passes(local, 10, [sku('a', 1)]), 1);
  assert.is(passes(local, 10, [sku('b')]), 1);
});

test('C09: store "a:b" with sku "c" and store "a" with sku "b:c" have buckets of their own', () => {
  const local = buckets();
  assert.is(passes(local, 10, [sku('c', 1)], 'ana', 'a:b'), 1);
  assert.is(passes(local, 10, [sku('b:c', 1)], 'ana', 'a'), 1);
});

test.run();
