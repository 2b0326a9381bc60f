import { assert, suite } from '#libs/testing/suite.js';
import { redeliveryDelayMs } from './redelivery.js';

const test = suite('redelivery');

test('the rest grows with the deliveries and never beyond a second', () => {
  const delays = [1, 2, 3, 4, 5, 6, 7, 1_000_000].map(redeliveryDelayMs);
  assert.equal(delays, [50, 100, 200, 400, 800, 1_000, 1_000, 1_000]);
});

test.run();
