import { pino } from 'pino';
import { assert, suite } from '#libs/testing/suite.js';
import { Trouble } from './trouble.js';

const test = suite('trouble');
let said: string[] = [];
let nowMs = 0;

test.before.each(() => {
  said = [];
  nowMs = 0;
});

function trouble(): Trouble {
  const write = (line: string): void => {
    const { level, msg, times, of } = JSON.parse(line);
    said.push([level === 40 ? 'warn' : 'info', msg, times, of].filter((part) => part !== undefined).join(' '));
  };
  return new Trouble({ logger: pino({}, { write }), wrong: 'it broke', well: 'it works', now: () => nowMs });
}

test('the first time is said, then how often it was, once in ten seconds, and once that it is well again', () => {
  const one = trouble();
  one.well();
  for (; nowMs < 25_000; nowMs += 100) one.wrong({ of: nowMs });
  one.well();
  one.well();
  assert.equal(said, ['warn it broke 1 0', 'warn it broke 100 10000', 'warn it broke 100 20000', 'info it works']);
});

test('what comes and goes all the time is said no more often', () => {
  const one = trouble();
  for (; nowMs <= 10_000; nowMs += 100) {
    one.wrong({});
    one.well();
  }
  assert.equal(said, ['warn it broke 1', 'info it works', 'warn it broke 100', 'info it works']);
});

test.run();
