import { assert, suite } from '#libs/testing/suite.js';
import { isOvertaken, isStalled } from './stalled.js';

const test = suite('stalled');
const silent = { waitingSinceMs: 1000, lastNewsAtMs: 0, unknownAtMs: 1300, lookingSinceMs: 0 };

test('a shard is stalled when a claim waits for half a second and nothing is heard', () => {
  assert.not(isStalled(silent, 1499));
  assert.ok(isStalled(silent, 1500));
});

test('while decisions come it is a backlog, however long somebody waits', () => {
  const waiting = { ...silent, lastNewsAtMs: 9000, unknownAtMs: 9400 };
  assert.not(isStalled(waiting, 9499));
  assert.ok(isStalled(waiting, 9500));
});

test('a ledger that does not answer promptly is no sign of a stall', () => {
  assert.not(isStalled({ ...silent, unknownAtMs: Number.NEGATIVE_INFINITY }, 60_000));
  assert.not(isStalled({ ...silent, unknownAtMs: 999 }, 60_000));
  assert.not(isStalled({ ...silent, lastNewsAtMs: 2000, unknownAtMs: 1999 }, 60_000));
});

test('a process that was held up itself looks for half a second before it says anything', () => {
  const heldUp = { ...silent, lookingSinceMs: 5000, unknownAtMs: 5100 };
  assert.not(isStalled(heldUp, 5499));
  assert.ok(isStalled(heldUp, 5500));
});

test('a claim is overtaken when one that was stored a second later is decided', () => {
  assert.not(isOvertaken(1000, 1999));
  assert.ok(isOvertaken(1000, 2000));
  assert.not(isOvertaken(1000, Number.NEGATIVE_INFINITY));
});

test.run();
