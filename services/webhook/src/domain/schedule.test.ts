import { assert, suite } from '#libs/testing/suite.js';
import { judge } from './outcome.js';
import { nextAttemptInMs, retryAfterMs } from './schedule.js';

const test = suite('webhook schedule');
const middle = 0.5;
const now = new Date('2026-03-01T10:00:00Z');

test('attempts follow the schedule of the standard, and the tenth is the last', () => {
  const waits: string[] = [];
  let clock = 0;
  for (let failed = 1; failed <= 10; failed += 1) {
    const verdict = judge({ status: 500, error: 'no' }, failed - 1, middle);
    if (verdict.outcome !== 'RETRY') {
      assert.equal([failed, verdict.outcome], [10, 'FAILED']);
      break;
    }
    clock += verdict.nextInMs;
    waits.push(`${verdict.nextInMs / 1_000}`);
  }
  assert.equal(waits, ['5', '300', '1800', '7200', '18000', '36000', '50400', '72000', '86400']);
  assert.is(clock, 272_105_000);
});

test('a wait is spread by a tenth up and down', () => {
  assert.is(nextAttemptInMs(1, 0), 4_500);
  assert.is(nextAttemptInMs(1, 1), 5_500);
});

test('an endpoint that names a time is not asked earlier, but within a day', () => {
  assert.is(nextAttemptInMs(1, middle, 60_000), 60_000);
  assert.is(nextAttemptInMs(2, middle, 60_000), 300_000);
  assert.is(nextAttemptInMs(1, middle, 10 * 86_400_000), 86_400_000);
});

test('Retry-After is read as seconds and as a date', () => {
  assert.is(retryAfterMs('120', now), 120_000);
  assert.is(retryAfterMs('Sun, 01 Mar 2026 10:01:00 GMT', now), 60_000);
  for (const header of [undefined, '', 'soon', '-5', 'Sun, 01 Mar 2026 09:00:00 GMT']) {
    assert.is(retryAfterMs(header, now), undefined);
  }
});

test('2xx is delivered, 410 is gone, everything else is tried again', () => {
  assert.is(judge({ status: 204, error: '' }, 3, middle).outcome, 'DELIVERED');
  assert.is(judge({ status: 410, error: 'x' }, 0, middle).outcome, 'GONE');
  for (const status of [undefined, 301, 400, 404, 429, 503]) {
    const answer = { error: 'x', ...(status !== undefined && { status }) };
    assert.is(judge(answer, 0, middle).outcome, 'RETRY');
  }
});

test.run();
