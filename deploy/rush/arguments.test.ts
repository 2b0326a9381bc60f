import { assert, suite } from '#libs/testing/suite.js';
import { readArguments } from './arguments.js';

const test = suite('rush arguments');

const limitsOf = (...args: string[]) => readArguments(args)?.limits;

test('limits are off, as configured, or of a rate of their own', () => {
  assert.is(limitsOf(), 'OFF');
  assert.is(limitsOf('--limits'), 'CONFIGURED');
  assert.equal(limitsOf('--rate', '20'), { perSecond: 20, burst: 20 });
  assert.equal(limitsOf('--limits', '--rate', '20'), { perSecond: 20, burst: 20 });
});

test('what is no number is refused, and named', () => {
  const wrong: [option: string, texts: string[]][] = [
    ['--seed', ['abc', '', '1.5', '4294967296', '1e3']],
    ['--rate', ['abc', '', '0', '-1', '1000001']],
    ['--over', ['abc', '', '-1', '86401']],
  ];
  for (const [option, texts] of wrong) {
    for (const text of texts) assert.throws(() => readArguments([`${option}=${text}`]), `${option}: ${text} is no`);
  }
  assert.is(readArguments(['--seed', '4294967295', '--over', '0.5', '--rate', '1'])?.json, false);
});

test('people go in over HTTP, or through the gateway', () => {
  assert.is(readArguments([])?.through, 'bff');
  assert.is(readArguments(['--through', 'gateway'])?.through, 'gateway');
  assert.throws(() => readArguments(['--through', 'window']), '--through: window is not bff or gateway');
});

test('a mesh of its own may do without Redis and NATS', () => {
  assert.is(readArguments([])?.without, undefined);
  assert.equal(readArguments(['--without', 'redis,nats'])?.without, ['redis', 'nats']);
});

test('another seed is another crowd', () => {
  const people = (seed: string) => readArguments(['--seed', seed])?.scenario.people;
  assert.equal(people('7'), people('7'));
  assert.not.equal(people('7'), people('8'));
});

test('help is asked for by name', () => {
  assert.is(readArguments(['--help', '--seed', 'abc']), undefined);
});

test.run();
