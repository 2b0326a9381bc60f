import { Fault } from '#libs/refusal/fault.js';
import { assert, suite } from '#libs/testing/suite.js';
import { cutPage, readPage } from './page.js';

const test = suite('pages');

const any = (): boolean => true;
const fieldOf = (work: () => unknown): string | undefined => {
  try {
    work();
  } catch (thrown) {
    if (thrown instanceof Fault) return thrown.violations[0]?.field;
  }
  return undefined;
};

test('a size is 50 unless it is said, and 500 at most', () => {
  const sizes = [undefined, 0, 1, 500, 501].map(
    (pageSize) => readPage('list', pageSize === undefined ? {} : { pageSize }, []).size,
  );
  assert.equal(sizes, [50, 50, 1, 500, 500]);
  for (const pageSize of [-1, 1.5, Number.NaN])
    assert.is(
      fieldOf(() => readPage('list', { pageSize }, [])),
      'page_size',
    );
});

test('a token leads to what comes after the last row of its page', () => {
  const page = cutPage('list', ['a', 'b', 'c'], { size: 2, keyOf: (row) => [row, 'x'] });
  assert.equal(page.rows, ['a', 'b']);
  assert.equal(readPage('list', { pageToken: page.nextPageToken }, [any, any]).after, ['b', 'x']);
});

test('the last page has no token, also when it is full or empty', () => {
  const keyOf = (row: string): string[] => [row];
  assert.is(cutPage('list', ['a', 'b'], { size: 2, keyOf }).nextPageToken, '');
  assert.equal(cutPage('list', [], { size: 2, keyOf }), { rows: [], nextPageToken: '' });
});

test('a token of another list and one that was made up are refused', () => {
  const { nextPageToken } = cutPage('list', ['a', 'b'], { size: 1, keyOf: (row) => [row] });
  for (const pageToken of ['x', 'bnVsbA', 'WzFd', Buffer.from('{').toString('base64url')]) {
    assert.is(
      fieldOf(() => readPage('list', { pageToken }, [any])),
      'page_token',
    );
  }
  assert.is(
    fieldOf(() => readPage('other', { pageToken: nextPageToken }, [any])),
    'page_token',
  );
});

test.run();
