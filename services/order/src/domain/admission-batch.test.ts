import { assert, suite } from '#libs/testing/suite.js';
import { claimWeight, groupBySkus, halves, maxBatchBytes, maxBatchLines } from './admission-batch.js';

const test = suite('admission batches');

const naming = (...skuIds: string[]) => ({ lines: skuIds.map((skuId) => ({ skuId })) });

test('500 short lines fill a batch exactly, and so do 256 kB', () => {
  assert.is(claimWeight(1, 100) * 500, maxBatchLines);
  assert.is(claimWeight(1, maxBatchBytes), maxBatchLines);
  assert.ok(claimWeight(1, maxBatchBytes + 1) > maxBatchLines);
});

test('halves keep the order and lose nothing', () => {
  assert.equal(halves([1, 2, 3, 4, 5]), [
    [1, 2, 3],
    [4, 5],
  ]);
  assert.equal(halves([1]), [[1], []]);
});

test('claims that lock the same skus stay together, whatever the order of their lines', () => {
  const [first, second, other] = [naming('a', 'b'), naming('b', 'a', 'b'), naming('b')];
  assert.equal(groupBySkus([first, other, second]), [
    { skuIds: ['b'], claims: [other] },
    { skuIds: ['a', 'b'], claims: [first, second] },
  ]);
});

test('claims with the fewest skus are tried first', () => {
  const sizes = groupBySkus([naming('a', 'b', 'c'), naming('a', 'b'), naming('c')]).map((group) => group.skuIds.length);
  assert.equal(sizes, [1, 2, 3]);
});

test.run();
