import { assert, suite } from '#libs/testing/suite.js';
import { crossover, type Point } from './crossover.js';

const test = suite('crossover');

const points = (figures: Record<number, number>): Point[] =>
  Object.entries(figures).map(([rate, figure]) => ({ rate: Number(rate), figure }));
const never = Number.POSITIVE_INFINITY;

test('it is the lowest load from which on the second is better', () => {
  const first = points({ 100: 5, 400: 6, 1600: 40, 3200: 90 });
  assert.is(crossover(first, points({ 100: 7, 400: 7, 1600: 20, 3200: 30 })), 1_600);
  assert.is(crossover(first, points({ 100: 2, 400: 2, 1600: 2, 3200: 2 })), 100);
});

test('being better now and then is no crossover, and neither is a tie', () => {
  const first = points({ 100: 5, 400: 6, 1600: 40 });
  assert.is(crossover(first, points({ 100: 1, 400: 1, 1600: 50 })), undefined);
  assert.is(crossover(first, points({ 100: 5, 400: 6, 1600: 39 })), undefined);
});

test('whoever cannot keep up is worse than whoever can; of two that cannot nothing is said', () => {
  const first = points({ 100: 5, 400: never, 1600: never });
  assert.is(crossover(first, points({ 100: 9, 400: 50, 1600: never })), 400);
  assert.is(crossover(points({ 100: 9, 400: 50, 1600: never }), first), undefined);
});

test('loads that only one was measured at say nothing', () => {
  assert.is(crossover(points({ 100: 5 }), points({ 400: 1 })), undefined);
});

test.run();
