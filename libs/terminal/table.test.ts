import { assert, suite } from '#libs/testing/suite.js';
import { painter } from './paint.js';
import { renderFacts, renderTable } from './table.js';

const test = suite('tables');

test('columns are as wide as their widest text, figures stand on the right, and no line ends in spaces', () => {
  const table = renderTable(
    [{ title: 'sku' }, { title: 'rate', side: 'right' }, { title: 'set by' }],
    [
      ['kiln-mug', '5', 'sku'],
      ['a', '10000', ''],
    ],
  );
  assert.is(table, ['sku        rate  set by', 'kiln-mug      5  sku', 'a         10000'].join('\n'));
});

test('colours move nothing', () => {
  const paint = painter({ isTTY: true }, {});
  const second = (word: string): string =>
    renderTable(
      [{ title: 'a' }, { title: 'b' }],
      [
        [word, 'x'],
        ['a longer text', 'y'],
      ],
    ).split('\n')[1] ?? '';
  const [plain, painted] = [second('word'), second(paint('bold', 'word'))];
  assert.is(painted, plain.replace('word', paint('bold', 'word')));
  assert.is.not(painted, plain);
});

test('colours are for terminals, and not for people who want none', () => {
  assert.is(painter({ isTTY: false }, {})('red', 'x'), 'x');
  assert.is(painter({}, {})('red', 'x'), 'x');
  assert.is(painter({ isTTY: true }, { NO_COLOR: '1' })('red', 'x'), 'x');
});

test('facts stand in one line with their names', () => {
  assert.is(
    renderFacts([
      ['a', '1'],
      ['longer', '2'],
    ]),
    '  a       1\n  longer  2',
  );
});

test.run();
