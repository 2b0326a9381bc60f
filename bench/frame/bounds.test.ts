import { assert, suite } from '#libs/testing/suite.js';
import type { Bound } from './benchmark.js';
import { describeJudged, gatesMet, judgedCounters } from './bounds.js';
import type { ArmSummary, Outcome } from './paired-runs.js';

const test = suite('bounds of counters');

function outcomeWith(counters: Record<string, number>): Outcome {
  const arm = (name: string): ArmSummary => ({ name, rate: 1, rates: [1], counters: {}, violations: [] });
  return { a: { ...arm('mesh'), counters }, b: arm('rival'), reported: [] };
}

const latency: Bound = { arm: 'mesh', counter: 'p99_ratio', gate: { atMost: 3 }, goal: { atMost: 2 } };
const share: Bound = { arm: 'mesh', counter: 'share', gate: { atLeast: 1, atMost: 1.05 }, goal: { atLeast: 1 } };

test('a gate is met up to its limit and not beyond', () => {
  assert.ok(gatesMet(judgedCounters([latency], outcomeWith({ p99_ratio: 3 }))));
  assert.not(gatesMet(judgedCounters([latency], outcomeWith({ p99_ratio: 3.01 }))));
  assert.ok(gatesMet(judgedCounters([share], outcomeWith({ share: 1.05 }))));
  assert.not(gatesMet(judgedCounters([share], outcomeWith({ share: 0.99 }))));
});

test('one missed gate is enough, a missed goal is not', () => {
  assert.not(gatesMet(judgedCounters([latency, share], outcomeWith({ p99_ratio: 1, share: 2 }))));
  assert.ok(
    gatesMet(
      judgedCounters([{ arm: 'mesh', counter: 'p99_ratio', goal: { atMost: 2 } }], outcomeWith({ p99_ratio: 9 })),
    ),
  );
});

test('what was not counted meets no gate', () => {
  assert.not(gatesMet(judgedCounters([latency], outcomeWith({}))));
  assert.not(gatesMet(judgedCounters([{ ...latency, arm: 'nobody' }], outcomeWith({ p99_ratio: 1 }))));
});

test('a person reads the figure with both verdicts', () => {
  assert.equal(describeJudged(judgedCounters([latency], outcomeWith({ p99_ratio: 2.5 }))), [
    '  p99_ratio of mesh 2.500: gate <= 3 met, goal <= 2 open',
  ]);
});

test.run();
