import { assert, suite } from '#libs/testing/suite.js';
import { BatchSize } from './batch-size.js';

const test = suite('batch size');

test('each batch that takes too long makes the next one a quarter of it, down to one order', () => {
  const size = new BatchSize(500);
  for (const next of [125, 31, 7, 1, 1]) {
    size.failed(size.now, 1000, 0);
    assert.is(size.now, next);
  }
});

test('a small batch that takes too long says more than the size that was allowed', () => {
  const size = new BatchSize(500);
  size.failed(20, 1000, 0);
  assert.is(size.now, 5);
});

test('a batch that fails at once says nothing about its size', () => {
  const size = new BatchSize(500);
  size.failed(500, 20, 0);
  assert.is(size.now, 500);
});

test('batches stay small for a while, then grow back with each that went, and no further than they may', () => {
  const size = new BatchSize(40);
  size.failed(40, 1000, 0);
  const sizes = [0, 4999, 5000, 5010, 5020, 5030, 5040].map((nowMs) => {
    size.went(nowMs);
    return size.now;
  });
  assert.equal(sizes, [10, 10, 15, 23, 35, 40, 40]);
});

test.run();
