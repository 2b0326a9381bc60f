import { assert, suite } from '#libs/testing/suite.js';
import { Pace } from './pace.js';

const test = suite('the pace of claims');

test('a message of n claims makes the next one wait n / rate', () => {
  const pace = new Pace(1_000);
  const waits = [100, 50, 1, 7].map((claims) => pace.book(claims, 0));
  assert.equal(waits, [0, 80, 130, 131]);
});

test('a rest is not saved up beyond the slack', () => {
  const pace = new Pace(1_000);
  pace.book(100, 0);
  const waits = Array.from({ length: 6 }, () => pace.book(10, 3_600_000));
  assert.equal(waits, [0, 0, 0, 10, 20, 30]);
});

test('a turn that came late is made up for, so that the rate is kept', () => {
  const pace = new Pace(1_000);
  let nowMs = 0;
  let taken = 0;
  while (nowMs < 10_000) {
    nowMs += pace.book(10, nowMs) + 3;
    taken += 10;
  }
  assert.ok(taken >= 10_000 && taken <= 10_040, String(taken));
});

test('without a rate nobody waits', () => {
  const pace = new Pace(0);
  assert.equal([pace.book(1_000_000, 0), pace.book(1, 0)], [0, 0]);
});

test.run();
