import { assert, suite } from '#libs/testing/suite.js';
import { shownLine } from './log-line.js';

const test = suite('log line');

test('warnings and worse are shown in words after the name of the process, the rest is not', () => {
  const line = (level: string): string => JSON.stringify({ level, msg: 'redis is away', err: { message: 'refused' } });
  assert.is(shownLine('order-1', line('warn'), false), 'order-1 warn redis is away: refused');
  assert.is(shownLine('order-1', line('error'), false), 'order-1 error redis is away: refused');
  assert.is(shownLine('order-1', line('info'), false), undefined);
});

test('what is no log entry is shown as it is', () => {
  assert.is(shownLine('bff-1', 'Error: boom', false), 'bff-1 Error: boom');
  assert.is(shownLine('bff-1', '7', false), 'bff-1 7');
});

test('colours are for terminals', () => {
  assert.match(shownLine('bff-1', 'x', true) ?? '', '\u001b[');
  assert.not.match(shownLine('bff-1', 'x', false) ?? '', '\u001b[');
});

test.run();
