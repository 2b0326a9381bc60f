import { assert, suite } from '#libs/testing/suite.js';
import { RestartPauses } from './restart-pauses.js';

const test = suite('restart pauses');

test('what dies again at once waits twice as long each time, up to five seconds', () => {
  const pauses = new RestartPauses(() => 0);
  const all = Array.from({ length: 8 }, () => {
    pauses.started();
    return pauses.afterDeath();
  });
  assert.equal(all, [100, 200, 400, 800, 1600, 3200, 5000, 5000]);
  assert.is(pauses.deaths, 8);
});

test('after a long life the pauses begin anew', () => {
  let now = 0;
  const pauses = new RestartPauses(() => now);
  pauses.afterDeath();
  pauses.started();
  now += 10_000;
  assert.is(pauses.afterDeath(), 200);
  pauses.started();
  now += 10_001;
  assert.is(pauses.afterDeath(), 100);
});

test.run();
