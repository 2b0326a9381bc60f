import { assert, suite } from '#libs/testing/suite.js';
import { isPlaceable, type Line, sameLines } from './lines.js';

const test = suite('lines');

const line = (skuId: string, quantity: number, attendeeId = 'ann'): Line => ({ skuId, quantity, attendeeId });

test('the order and the split of lines do not make another order', () => {
  assert.ok(sameLines([line('a', 1), line('b', 2)], [line('b', 2), line('a', 1)]));
  assert.ok(sameLines([line('a', 1), line('a', 1)], [line('a', 2)]));
});

test('another quantity, sku or attendee makes another order', () => {
  assert.not(sameLines([line('a', 1)], [line('a', 2)]));
  assert.not(sameLines([line('a', 1)], [line('b', 1)]));
  assert.not(sameLines([line('a', 1)], [line('a', 1, 'bob')]));
  assert.not(sameLines([line('a', 1), line('b', 1)], [line('a', 1)]));
});

test('what is no whole number of units is not placeable', () => {
  assert.ok(isPlaceable([line('a', 1), line('b', 1_000_000)]));
  for (const quantity of [0, -3, 2.5, 2 ** 31, Number.NaN])
    assert.not(isPlaceable([line('a', quantity)]), `${quantity}`);
  assert.not(isPlaceable([]));
  assert.not(isPlaceable(Array.from({ length: 101 }, () => line('a', 1))));
});

test.run();
