import { assert, suite } from '#libs/testing/suite.js';
import type { Limited } from '../ports.js';
import { DenyCache } from './deny-cache.js';

const test = suite('DenyCache');

const limited: Limited = { kind: 'LIMITED', limit: 'USER', perSecond: 20, burst: 40, retryAfterMs: 50 };

test('a refusal holds until its time, which gets shorter', () => {
  let now = 0;
  const denied = new DenyCache({ now: () => now });
  assert.is(denied.of('ana'), undefined);
  denied.note('ana', limited);
  now = 20;
  assert.equal(denied.of('ana'), { ...limited, retryAfterMs: 30 });
  assert.is(denied.of('ben'), undefined);
  now = 50;
  assert.is(denied.of('ana'), undefined);
});

test('a flood of names takes no more memory, and does not let out who asks on and on', () => {
  const denied = new DenyCache({ now: () => 0, keysMax: 10 });
  denied.note('ana', limited);
  denied.note('ben', limited);
  for (let i = 0; i < 100; i += 1) {
    denied.note(`name-${i}`, limited);
    assert.ok(denied.of('ana'));
  }
  assert.is(denied.of('ben'), undefined);
});

test.run();
