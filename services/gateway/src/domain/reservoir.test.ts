import { assert, suite } from '#libs/testing/suite.js';
import { Reservoir } from './reservoir.js';

const test = suite('reservoir');

test('what fits is kept as it is, each for itself', () => {
  const sample = new Reservoir<number>(3);
  for (const item of [1, 2, 3]) sample.offer(() => item);
  assert.equal(sample.take(), { kept: [1, 2, 3], weight: 1 });
  assert.equal(sample.take(), { kept: [], weight: 1 });
});

test('of more than fits each is kept with the same chance, and stands for its share', () => {
  const times = new Array<number>(100).fill(0);
  for (let round = 0; round < 2_000; round += 1) {
    const sample = new Reservoir<number>(10);
    for (let item = 0; item < 100; item += 1) sample.offer(() => item);
    const { kept, weight } = sample.take();
    assert.equal([kept.length, weight], [10, 10]);
    for (const item of kept) times[item] = (times[item] ?? 0) + 1;
  }
  // 200 each are expected; a sample that favoured the first or the last would have 2,000 or none of them.
  assert.ok(
    times.every((count) => count > 110 && count < 310),
    String(times),
  );
});

test('what is not kept is never made', () => {
  const sample = new Reservoir<number>(1, () => 0.99);
  let made = 0;
  for (let item = 0; item < 50; item += 1) {
    sample.offer(() => {
      made += 1;
      return item;
    });
  }
  assert.equal([made, sample.take()], [1, { kept: [0], weight: 50 }]);
});

test.run();
