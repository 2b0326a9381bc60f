import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { firstHeldMs, longestGapMs, SteadyFlow } from './steady-flow.js';

const test = suite('a steady flow');

test('items come at their rate, each once, until it is stopped, and who was told what is counted', async () => {
  const sent: number[] = [];
  const begun = performance.now();
  const flow = new SteadyFlow(1_000, (from, to) => {
    for (let item = from; item < to; item += 1) sent.push(item);
  });
  await until(() => sent.length >= 100);
  assert.ok(performance.now() - begun >= 99);
  const stopping = flow.stop(10_000);
  for (const item of sent) flow.ended(item, item % 4 === 0 ? 'PENDING' : item % 4 === 1 ? 'status 14' : 'HELD');
  await stopping;
  assert.is(flow.sent, sent.length);
  assert.equal(sent, [...sent.keys()]);
  assert.is(flow.held.length, sent.filter((item) => item % 4 >= 2).length);
  assert.is(flow.promised, sent.length - (flow.outcomes['status 14'] ?? 0));
});

test('it waits no longer than its patience for those who are not answered', async () => {
  const flow = new SteadyFlow(1_000, () => {});
  await flow.stop(20);
  assert.ok(flow.sent > 0);
  assert.is(flow.promised, 0);
});

const held = [
  { sentAt: 0, at: 5 },
  { sentAt: 8, at: 30 },
  { sentAt: 12, at: 31 },
  { sentAt: 40, at: 44 },
];

test('the first HELD after an instant answers somebody who came after it', () => {
  assert.is(firstHeldMs(held, 10), 21);
  assert.is(firstHeldMs(held, 41), Number.POSITIVE_INFINITY);
});

test('a gap is between two answers, or between one and an end of the stretch', () => {
  assert.is(longestGapMs(held, 0, 50), 25);
  assert.is(longestGapMs(held, 29, 100), 56);
  assert.is(longestGapMs([], 0, 7), 7);
});

test.run();
