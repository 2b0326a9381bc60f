import { assert, suite } from '#libs/testing/suite.js';
import { LogStory } from './log-story.js';

const test = suite('log story');

function logged(
  ...lines: { process?: string; at: number; level?: string; msg: string; [fact: string]: unknown }[]
): LogStory {
  const story = new LogStory();
  for (const { process = 'order-1', at, level = 'warn', ...facts } of lines) {
    story.hear(
      process,
      JSON.stringify({ level, time: new Date(at).toISOString(), pid: 1, hostname: 'h', name: 'n', ...facts }),
    );
  }
  return story;
}

test('the same words of any process, close together, are one line', () => {
  const story = logged(
    { at: 100, msg: 'lost nats' },
    { at: 300, msg: 'lost nats', process: 'inventory-1' },
    { at: 200, msg: 'x' },
  );
  const [first, second] = story.between(0, 1_000);
  assert.equal(first, {
    firstAt: 100,
    lastAt: 300,
    times: 2,
    processes: ['order-1', 'inventory-1'],
    level: 'warn',
    text: 'lost nats',
  });
  assert.equal([second?.text, second?.firstAt], ['x', 200]);
});

test('the same words after a long silence are another event', () => {
  const story = logged({ at: 0, msg: 'lost nats' }, { at: 5_000, msg: 'lost nats' });
  assert.equal(
    story.between(0, 9_000).map(({ firstAt }) => firstAt),
    [0, 5_000],
  );
});

test('a line carries its error and its facts, not what every line has', () => {
  const story = logged({
    at: 0,
    level: 'error',
    msg: 'failed',
    err: { message: 'reset', stack: 'long' },
    job: 'sweep',
    claims: 3,
  });
  const [line] = story.between(0, 10);
  assert.equal([line?.level, line?.text], ['error', 'failed (reset, job sweep)']);
});

test('what is no log line is told as it is, and what lies outside is not told', () => {
  const story = logged({ at: 0, msg: 'early' });
  story.hear('order-1', 'Segmentation fault');
  story.note('the fault');
  const told = story.between(Date.now() - 60_000, Date.now() + 60_000);
  assert.equal(
    told.map(({ text, processes }) => [text, processes[0]]),
    [
      ['Segmentation fault', 'order-1'],
      ['the fault', 'drill'],
    ],
  );
});

test.run();
