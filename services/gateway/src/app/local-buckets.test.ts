import { seeded } from '#libs/testing/seeded.js';
import { assert, suite } from '#libs/testing/suite.js';
import { LocalBuckets } from './local-buckets.js';
import type { SkuLimit } from './ports.js';

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
  return new LocalBuckets({ gateways: () => gateways, user, now: () => now });
}

/** How many of `calls` in this instant pass. */
function passes(local: LocalBuckets, calls: number, skus: SkuLimit[], userId = 'ana', storeId = 'store'): number {
  let passed = 0;
  for (let i = 0; i < calls; i += 1) passed += local.take({ userId, storeId, skus }) === undefined ? 1 : 0;
  return passed;
}

test('a bucket begins nearly empty: a tenth of the rate, at least one', () => {
  assert.is(passes(buckets(), 100, [sku('a', 50)]), 5);
  assert.is(passes(buckets(), 100, [sku('a', 2)]), 1);
  assert.is(passes(buckets(), 100, [sku('a', 50, 3)]), 3);
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

test('a user has a bucket of their own over all skus', () => {
  const local = buckets(1, { perSecond: 20, burst: 40 });
  assert.is(passes(local, 10, [sku('a')]), 2);
  const limited = local.take({ userId: 'ana', storeId: 'other', skus: [sku('b')] });
  assert.equal(limited, { kind: 'LIMITED', limit: 'USER', perSecond: 20, burst: 40, retryAfterMs: 50 });
  assert.is(passes(local, 10, [sku('a')], 'ben'), 2);
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
  const local = buckets(1, { perSecond: 20, burst: 40 });
  assert.is(passes(local, 10, [sku('a', 1)]), 1);
  assert.is(passes(local, 10, [sku('b')]), 1);
});

test('C09: store "a:b" with sku "c" and store "a" with sku "b:c" have buckets of their own', () => {
  const local = buckets();
  assert.is(passes(local, 10, [sku('c', 1)], 'ana', 'a:b'), 1);
  assert.is(passes(local, 10, [sku('b:c', 1)], 'ana', 'a'), 1);
});

test.run();
