import { assert, suite } from '#libs/testing/suite.js';
import { SharedTimer } from './shared-timer.js';

const test = suite('shared timer');

test('nobody goes on before their time, in whatever order they came', async () => {
  const timer = new SharedTimer();
  const now = performance.now();
  const dueAts = [90, 10, 50, 0, -5].map((ms) => now + ms);
  const wentOnAt = await Promise.all(dueAts.map((dueAt) => timer.until(dueAt).then(() => performance.now())));
  for (const [index, at] of wentOnAt.entries()) assert.ok(at >= (dueAts[index] ?? Number.POSITIVE_INFINITY));
});

test('all who are due at a tick share one wait', () => {
  const timer = new SharedTimer();
  const now = performance.now();
  const waits = Array.from({ length: 1_000 }, () => timer.until(now + 30));
  assert.is(new Set(waits).size, 1);
});

test.run();
