import { assert, suite } from '#libs/testing/suite.js';
import { increase, parseMetrics, quantileMs, type Reading, total } from './readings.js';

const test = suite('readings');

function reading(address: string, startedAt: number, text: string): Reading {
  return { address, samples: parseMetrics(`${text}\nprocess_start_time_seconds ${startedAt}\n`) };
}

test('what counters grew by is summed over processes and filtered by label', () => {
  const before = [reading('a', 1, 'calls{script="place"} 10\ncalls{script="sweep"} 5')];
  const after = [
    reading('a', 1, '# HELP calls x\ncalls{script="place"} 14\ncalls{script="sweep"} 9'),
    reading('b', 2, 'calls{script="place"} 3'),
  ];
  const samples = increase(before, after);
  assert.is(
    total(samples, 'calls', () => true),
    11,
  );
  assert.is(
    total(samples, 'calls', ({ script }) => script === 'place'),
    7,
  );
});

test('a process that was restarted in between counts from zero', () => {
  const samples = increase([reading('a', 1, 'calls 100')], [reading('a', 2, 'calls 4')]);
  assert.is(
    total(samples, 'calls', () => true),
    4,
  );
});

test('a quantile lies within the bucket that holds it, over all labels', () => {
  const buckets = ['0.001', '0.01', '+Inf'];
  const text = (label: string, counts: number[]): string =>
    counts.map((count, i) => `wait_bucket{le="${buckets[i]}",pool="${label}"} ${count}`).join('\n');
  const samples = increase([], [reading('a', 1, `${text('x', [50, 50, 50])}\n${text('y', [0, 50, 50])}`)]);
  assert.is(quantileMs(samples, 'wait', 0.5), 1);
  assert.is(quantileMs(samples, 'wait', 0.75).toFixed(3), '5.500');
  assert.is(quantileMs(samples, 'nothing', 0.99), 0);
});

test.run();
