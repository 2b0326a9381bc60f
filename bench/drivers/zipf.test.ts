import { assert, suite } from '#libs/testing/suite.js';
import { zipf } from './zipf.js';

const test = suite('zipf');

test('the first comes twice as often as the second and ten times as often as the tenth', () => {
  const counts = new Array<number>(100).fill(0);
  for (const n of zipf(100, 200_000, 7)) counts[n] = (counts[n] ?? 0) + 1;
  const [first = 0, second = 0] = counts;
  assert.ok(Math.abs(first / second - 2) < 0.1, `${first} and ${second}`);
  assert.ok(Math.abs(first / (counts[9] ?? 0) - 10) < 1, `${first} and ${counts[9]}`);
  assert.ok(counts.every((count) => count > 0));
});

test('the same seed draws the same', () => {
  assert.equal(zipf(10, 50, 3), zipf(10, 50, 3));
  assert.is.not(zipf(10, 50, 3).join(), zipf(10, 50, 4).join());
});

test.run();
