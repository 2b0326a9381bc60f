import { assert, suite } from '#libs/testing/suite.js';
import { jittered, restUntil, toWholeSecond } from './next-run.js';

const test = suite('when a job runs next');

const now = new Date('2026-03-01T10:00:00.000Z');
const rest = { leastMs: 20, mostMs: 1_000 };
const restTo = (ms: number) => restUntil(new Date(now.getTime() + ms), now, rest);

test('a job rests until it is due, within its bounds', () => {
  assert.is(restTo(300), 300);
  assert.is(restTo(-60_000), 20);
  assert.is(restTo(3_600_000), 1_000);
});

test('with nothing due a job rests as long as it may', () => {
  assert.is(restUntil(undefined, now, rest), 1_000);
});

test('jitter stays in the upper half and never makes it longer', () => {
  assert.equal(
    [0, 0.5, 1].map((random) => jittered(1_000, random)),
    [500, 750, 1_000],
  );
});

test('a rest ends with a whole second where half of it is enough, and never later', () => {
  assert.is(toWholeSecond(1_000, 7_060), 940);
  assert.is(toWholeSecond(1_000, 7_600), 1_000);
  assert.is(toWholeSecond(5_000, 7_600), 4_400);
  assert.is(toWholeSecond(1_000, 7_000), 1_000);
});

test.run();
