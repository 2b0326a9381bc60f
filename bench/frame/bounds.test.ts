import { assert, suite } from '#libs/testing/suite.js';
import type { Benchmark, Bound } from './benchmark.js';
import { describeJudged, gatesMet, type Judged, judgedFigures } from './bounds.js';
import type { ArmSummary, Outcome } from './paired-runs.js';

const test = suite('bounds of figures');

const open: Benchmark['open'] = () => Promise.reject(new Error('nobody opens it'));
const benchmark: Benchmark = { id: 'P0', title: '', unit: 'items/s', gate: 3, goal: 8, open };

function judgedOf(bounds: Bound[], counters: Record<string, number>, ratio = 8): Judged[] {
  const arm = (name: string): ArmSummary => ({ name, rate: 1, rates: [1], counters: {}, violations: [] });
  const outcome: Outcome = {
    ...{ a: { ...arm('mesh'), counters }, b: arm('rival'), reported: [] },
    ratio: { median: ratio, lo: ratio / 2, hi: ratio * 2 },
  };
  return judgedFigures({ ...benchmark, bounds }, outcome);
}

const latency: Bound = { arm: 'mesh', counter: 'p99_ratio', gate: { atMost: 3 }, goal: { atMost: 2 } };
const share: Bound = { arm: 'mesh', counter: 'share', gate: { atLeast: 1, atMost: 1.05 }, goal: { atLeast: 1 } };

test('a gate is met up to its limit and not beyond', () => {
  assert.ok(gatesMet(judgedOf([latency], { p99_ratio: 3 })));
  assert.not(gatesMet(judgedOf([latency], { p99_ratio: 3.01 })));
  assert.ok(gatesMet(judgedOf([share], { share: 1.05 })));
  assert.not(gatesMet(judgedOf([share], { share: 0.99 })));
  assert.ok(gatesMet(judgedOf([], {}, 3)));
  assert.not(gatesMet(judgedOf([], {}, 2.99)));
});

test('one missed gate is enough, a missed goal is not', () => {
  assert.not(gatesMet(judgedOf([latency, share], { p99_ratio: 1, share: 2 })));
  assert.ok(gatesMet(judgedOf([{ arm: 'mesh', counter: 'p99_ratio', goal: { atMost: 2 } }], { p99_ratio: 9 })));
});

test('what was not counted meets no gate', () => {
  assert.not(gatesMet(judgedOf([latency], {})));
  assert.not(gatesMet(judgedOf([{ ...latency, arm: 'nobody' }], { p99_ratio: 1 })));
  const { ratio: _, ...voided } = { a: {}, b: { name: 'rival' }, reported: [], ratio: undefined };
  assert.not(gatesMet(judgedFigures(benchmark, voided as unknown as Outcome)));
});

test('a person reads each figure with both verdicts, and how far it is from its goal', () => {
  assert.equal(describeJudged(judgedOf([latency], { p99_ratio: 2.5 }, 4)), [
    '  ratio to rival 4 (2 to 8): gate >= 3 met, goal >= 8 open, at 50 % of it',
    '  p99_ratio of mesh 2.5: gate <= 3 met, goal <= 2 open, at 125 % of it',
  ]);
  const none = { words: 'rows', figure: 1, goal: { atMost: 0 } };
  assert.equal(describeJudged([none, { ...none, figure: 0 }]), ['  rows 1: goal <= 0 open', '  rows 0: goal <= 0 met']);
});

test.run();
