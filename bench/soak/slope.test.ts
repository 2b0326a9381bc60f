import { assert, suite } from '#libs/testing/suite.js';
import { coursesOf, type Sample } from './slope.js';

const test = suite('slopes of a soak');

const everyMinute = (figureAt: (minute: number) => number): Sample[] =>
  Array.from({ length: 21 }, (_, minute) => ({ atMs: minute * 60_000, figures: { rss: figureAt(minute) } }));

test('what grows evenly has its slope, and grows by a share of where it began', () => {
  const [course] = coursesOf(
    everyMinute((minute) => 100 + minute),
    0,
  );
  assert.ok(Math.abs((course?.slopePerTenMinutes ?? 0) - 10) < 1e-9);
  assert.ok(Math.abs((course?.growth ?? 0) - 0.2) < 1e-9);
  assert.is(course?.mean, 110);
});

test('what goes up and down around one value is flat, and what happened while it settled does not count', () => {
  const [sawtooth] = coursesOf(
    everyMinute((minute) => (minute < 5 ? 1_000 : 100 + (minute % 2))),
    300_000,
  );
  assert.ok(Math.abs(sawtooth?.growth ?? 1) < 0.01);
});

test('what is nothing all the time has no growth', () => {
  assert.is(
    coursesOf(
      everyMinute(() => 0),
      0,
    )[0]?.growth,
    0,
  );
});

test.run();
