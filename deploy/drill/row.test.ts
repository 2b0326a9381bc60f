import { assert, suite } from '#libs/testing/suite.js';
import { brokenRow, exitCodeOf, rowOf, totalsOf, withFailures } from './row.js';
import { exampleRow, verdictOf } from './test-result.js';

const test = suite('drill row');
const input = {
  ...{ drill: 'd', control: false, verdict: verdictOf(), longestPoolWaitMs: 12.4, p99AfterActMs: null, died: [] },
  ...{ durationMs: 1_000, failures: [], drained: { journal: 1, stream: 3, outbox: 2 }, gateBackMs: 1 },
  crowd: {
    ...{ first_held_after_fault_ms: 1, first_held_after_heal_ms: 1, longest_held_gap_ms: 1, gap_before_ms: 1 },
    ...{ p99_before_ms: 1, p99_fault_ms: 1, p99_after_ms: 1, sent_again: 0 },
  },
};

test('a drill without a complaint passed', () => {
  const row = rowOf(input);
  assert.equal([row.failed, row.completed, row.failures], [false, true, []]);
});

test('whatever the verdict, the ledger or the processes complain of makes it fail', () => {
  const oversold = rowOf({ ...input, verdict: verdictOf({ oversold: 2 }, ['2 units were sold that do not exist']) });
  assert.equal([oversold.failed, oversold.oversold], [true, 2]);
  assert.is(rowOf({ ...input, failures: ['the audit finds something'] }).failed, true);
  assert.equal(rowOf({ ...input, died: ['order-1'] }).failures, ['order-1 died, and nobody ended it']);
});

test('a request that ends in an error, as a promise, or in line had no answer', () => {
  const verdict = verdictOf({ errors: 1, pending: 2 });
  verdict.line.queued_at_end = 4;
  assert.is(rowOf({ ...input, verdict }).errors, 7);
});

test('the backlog is gone when the last part of it is, and never when one part never is', () => {
  assert.is(rowOf(input).backlog_zero_after_heal_ms, 3);
  assert.is(rowOf({ ...input, drained: { journal: 1, stream: null, outbox: 2 } }).backlog_zero_after_heal_ms, null);
});

test('a missed objective fails a row that passed', () => {
  const row = withFailures(exampleRow(), ['first_held_after_fault_ms is never, the objective is 1000']);
  assert.equal([row.failed, row.failures.length], [true, 1]);
  assert.is(withFailures(exampleRow(), []).failed, false);
});

test('the last line adds up, and one row that is not conserved is enough', () => {
  const rows = [
    exampleRow(),
    exampleRow({ failed: true, oversold: 2, lost: 1, conserved: false }),
    exampleRow({ duplicates: 3 }),
  ];
  const { drills, failed, oversold, lost, duplicates, false_refusals, conserved } = totalsOf(rows);
  assert.equal([drills, failed, oversold, lost, duplicates, false_refusals, conserved], [3, 1, 2, 1, 3, 0, false]);
});

test('one failed drill is an exit code of 1', () => {
  assert.is(exitCodeOf([exampleRow(), exampleRow()], false), 0);
  assert.is(exitCodeOf([exampleRow(), exampleRow({ failed: true })], false), 1);
  assert.is(exitCodeOf([brokenRow('d', false, new Error('no mesh'), 5)], false), 1);
});

test('unsafe twins all have to fail: 1; one that passes, or cannot be run, proves nothing: 3', () => {
  const caught = exampleRow({ control: true, failed: true });
  assert.is(exitCodeOf([caught, caught], true), 1);
  assert.is(exitCodeOf([caught, exampleRow({ control: true })], true), 3);
  assert.is(exitCodeOf([caught, brokenRow('d', true, new Error('no mesh'), 5)], true), 3);
});

test('of a drill that could not be run nothing is known to be right', () => {
  const row = brokenRow('d', false, new Error('no mesh'), 5_000);
  assert.equal([row.failed, row.conserved, row.failures], [true, false, ['it could not be run: no mesh']]);
});

test.run();
