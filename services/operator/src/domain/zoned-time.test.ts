import { assert, suite } from '#libs/testing/suite.js';
import { readInstant } from './zoned-time.js';

const test = suite('times of a file');
const berlin = 'Europe/Berlin';
const read = (text: string, zone = ''): string => {
  const found = readInstant(text, zone);
  return found instanceof Date ? found.toISOString() : found;
};

test('RFC 3339 says itself what instant it is', () => {
  assert.is(read('2026-03-02T10:00:00Z'), '2026-03-02T10:00:00.000Z');
  assert.is(read('2026-03-02T10:00:00+05:30', berlin), '2026-03-02T04:30:00.000Z');
  assert.is(read('2026-03-02 10:00-08:00'), '2026-03-02T18:00:00.000Z');
});

test('a date and time goes by the clock of its zone, in summer and in winter', () => {
  assert.is(read('2026-01-02 10:00', berlin), '2026-01-02T09:00:00.000Z');
  assert.is(read('2026-07-02T10:00:30', berlin), '2026-07-02T08:00:30.000Z');
  assert.is(read('2026-01-02 00:15', 'Asia/Kathmandu'), '2026-01-01T18:30:00.000Z');
  assert.is(read('2026-03-29 01:59', berlin), '2026-03-29T00:59:00.000Z');
  assert.is(read('2026-03-29 03:00', berlin), '2026-03-29T01:00:00.000Z');
});

test('a time that the clock never shows, or shows twice, is refused', () => {
  assert.match(read('2026-03-29 02:30', berlin), /is never shown by the clocks of Europe\/Berlin/);
  assert.match(read('2026-10-25 02:30', berlin), /is shown twice by the clocks of Europe\/Berlin/);
  assert.is(read('2026-10-25T02:30:00+01:00', berlin), '2026-10-25T01:30:00.000Z');
  assert.is(read('2026-10-25 03:00', berlin), '2026-10-25T02:00:00.000Z');
});

test('I11: the hours beside a change of the clock in New York are read, the hour of the change is not guessed', () => {
  const zone = 'America/New_York';
  assert.is(read('2050-03-13 01:59:59', zone), '2050-03-13T06:59:59.000Z');
  assert.match(read('2050-03-13 02:30', zone), /is never shown by the clocks of America\/New_York/);
  assert.is(read('2050-03-13 03:00', zone), '2050-03-13T07:00:00.000Z');
  assert.is(read('2050-11-06 00:59:59', zone), '2050-11-06T04:59:59.000Z');
  assert.match(read('2050-11-06 01:30', zone), /is shown twice by the clocks of America\/New_York/);
  assert.is(read('2050-11-06T01:30:00-04:00', zone), '2050-11-06T05:30:00.000Z');
  assert.is(read('2050-11-06T01:30:00-05:00', zone), '2050-11-06T06:30:00.000Z');
  assert.is(read('2050-11-06 02:00', zone), '2050-11-06T07:00:00.000Z');
});

test('what is no time is refused', () => {
  for (const text of [
    '2026-02-30 10:00',
    '2026-13-01 10:00',
    '2026-03-02',
    '2026-03-02 24:00',
    'soon',
    '02.03.2026 10:00',
  ]) {
    assert.match(read(text, berlin), /give a date and time/, text);
  }
  assert.match(read('2026-03-02T10:00:00+25:00'), /offset \+25:00, which is none/);
  assert.match(read('2026-03-02 10:00'), /give a time_zone beside it/);
  assert.match(read('2026-03-02 10:00', 'Europe/Berln'), /time_zone is none/);
});

test.run();
