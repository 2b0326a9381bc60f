import { assert, suite } from '#libs/testing/suite.js';
import { CALIBRATE_HELP, readOptions } from './options.js';

const test = suite('options of calibrate');

test('without any the sample sales are taken and the file goes where npm start looks', () => {
  const options = readOptions([]);
  assert.is(options?.sales, undefined);
  assert.match(options?.out ?? '', /\.holdfast\/limits\.json$/);
});

test('help is asked for by itself, and knows every option', () => {
  assert.is(readOptions(['--help', '--quick']), undefined);
  for (const option of ['sales', 'out', 'quick', 'apply', 'json', 'check', 'help']) {
    assert.ok(CALIBRATE_HELP.includes(`--${option}`), option);
  }
});

test('what would not be done is refused', () => {
  assert.throws(() => readOptions(['--check', 'x', '--apply']), /--check measures nothing/);
  assert.throws(() => readOptions(['--check', 'x', '--sales', 'y']), /--check measures nothing/);
  assert.throws(() => readOptions(['--bogus']), /--bogus/);
});

test.run();
