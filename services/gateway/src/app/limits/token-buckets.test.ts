import { assert, suite } from '#libs/testing/suite.js';
import { TokenBuckets } from './token-buckets.js';

const test = suite('TokenBuckets');

test('C06: a flood of names takes no more memory, and fills no bucket in use', () => {
  const buckets = new TokenBuckets<string>();
  const rate = { perSecond: 50, burst: 1 };
  buckets.spend('hot', rate, 0);
  for (let i = 0; i < 30_000; i += 1) {
    buckets.spend(`name-${i}`, rate, 0);
    if (i % 1_000 === 0) assert.is(buckets.waitMs('hot', rate, 0), 20);
  }
  assert.is(buckets.size, 10_000);
});

test('C04: who comes exactly at the rate always passes, whatever fractions add up to', () => {
  for (const perSecond of [3, 7, 30, 49, 999]) {
    const buckets = new TokenBuckets<string>();
    const rate = { perSecond, burst: 1 };
    for (let call = 0; call < 10_000; call += 1) {
      const now = 123.4 + (call * 1_000) / perSecond;
      assert.is(buckets.waitMs('a', rate, now), 0);
      buckets.spend('a', rate, now);
    }
  }
});

test.run();
