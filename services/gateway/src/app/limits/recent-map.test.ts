import { assert, suite } from '#libs/testing/suite.js';
import { RecentMap } from './recent-map.js';

const test = suite('RecentMap');

test('it keeps the keys that were used last', () => {
  const map = new RecentMap<string, number>(3);
  for (const [index, key] of ['a', 'b', 'c'].entries()) map.set(key, index);
  assert.is(map.get('a'), 0);
  map.set('b', 7);
  map.set('d', 3);
  assert.equal(
    [...map.entries()],
    [
      ['a', 0],
      ['b', 7],
      ['d', 3],
    ],
  );
  assert.is(map.get('c'), undefined);
  assert.is(map.size, 3);
});

test('a key that is set again makes nobody leave', () => {
  const map = new RecentMap<string, number>(2);
  map.set('a', 1);
  map.set('b', 2);
  map.set('b', 3);
  map.delete('x');
  assert.is(map.get('a'), 1);
});

test.run();
