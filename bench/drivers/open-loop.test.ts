import { assert, suite } from '#libs/testing/suite.js';
import { OpenLoop } from './open-loop.js';

const test = suite('open loop');

test('each phase has as many items as its rate and its time say, and each is sent once', async () => {
  const loop = new OpenLoop([
    { perSecond: 1_000, ms: 50 },
    { perSecond: 4_000, ms: 25 },
  ]);
  const sent: number[] = [];
  await loop.run((from, to) => {
    for (let item = from; item < to; item += 1) {
      sent.push(item);
      loop.end(item, item < 50 ? 'HELD' : 'status 8');
    }
  }, 10_000);
  assert.equal(sent, [...Array(150).keys()]);
  const [first, second] = [loop.stretch(0, 50), loop.stretch(50, 75)];
  assert.equal([first.sent, first.outcomes], [50, { HELD: 50 }]);
  assert.equal([second.sent, second.outcomes, second.servedP99Ms], [100, { 'status 8': 100 }, 0]);
});

test('whoever is held up is charged from the time at which they were meant to be sent', async () => {
  const loop = new OpenLoop([{ perSecond: 1_000, ms: 60 }]);
  await loop.run((_, to) => {
    // Nothing is answered until the last is sent.
    if (to === loop.items) for (let item = 0; item < to; item += 1) loop.end(item, 'HELD');
  }, 10_000);
  const { servedP50Ms, servedP99Ms } = loop.stretch(0, 60);
  assert.ok(servedP99Ms >= 58, `the first waited for ${servedP99Ms} ms`);
  assert.ok(servedP50Ms >= 28 && servedP50Ms < servedP99Ms);
});

test('what is never answered is told apart, and a second answer changes nothing', async () => {
  const loop = new OpenLoop([{ perSecond: 1_000, ms: 10 }]);
  await loop.run((from, to) => {
    for (let item = from; item < to; item += 1) {
      if (item === 3) continue;
      loop.end(item, 'REFUSED');
      loop.end(item, 'HELD');
    }
  }, 1);
  assert.equal(loop.stretch(0, 10).outcomes, { REFUSED: 9, 'no answer': 1 });
});

test.run();
