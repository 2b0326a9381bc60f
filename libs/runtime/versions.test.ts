import { assert, suite } from '#libs/testing/suite.js';
import { isOlder } from './versions.js';

const test = suite('versions');

test('versions are compared number by number', () => {
  assert.not(isOlder('7.0.15', '7.0'));
  assert.not(isOlder('15.18 (Debian 15.18-0+deb12u1)', '15'));
  assert.not(isOlder('2.10.1', '2.9'));
  assert.ok(isOlder('2.9.9', '2.10'));
  assert.ok(isOlder('6.2.14', '7.0'));
  assert.ok(isOlder('unknown', '1'));
});

test.run();
