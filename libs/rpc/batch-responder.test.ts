import { assert, suite } from '#libs/testing/suite.js';
import { BatchResponder } from './batch-responder.js';
import type { ServerDuplex } from './server-duplex.js';

const test = suite('BatchResponder');

/** A stream whose transport takes a message when the test says so. */
function streamByHand() {
  const sent: number[][] = [];
  const taken: (() => void)[] = [];
  let message: (items: number[]) => void = () => undefined;
  let end: () => void = () => undefined;
  let over: 'ended' | 'failed' | undefined;
  const stream: ServerDuplex<number[], number[]> = {
    onMessage: (listener) => {
      message = listener;
    },
    onEnd: (listener) => {
      end = listener;
    },
    sendBatch(items, wrap, onTaken) {
      sent.push(wrap(items));
      taken.push(onTaken);
    },
    get ended() {
      return over !== undefined;
    },
    end: () => {
      over = 'ended';
    },
    fail: () => {
      over = 'failed';
    },
  };
  return {
    stream,
    sent,
    take: () => taken.shift()?.(),
    message: (items: number[]) => message(items),
    end: () => end(),
    over: () => over,
  };
}

function responderOn(stream: ServerDuplex<number[], number[]>, maxWaiting = 1_000) {
  return new BatchResponder<number, number, number[], number[]>({
    stream,
    name: 'test',
    items: (request) => request,
    wrap: (results) => results,
    onItems: () => undefined,
    maxWaiting,
  });
}

const tick = () => new Promise((resolve) => setImmediate(resolve));

test('results of one tick leave together, and so do those that fall while the last message is taken', async () => {
  const { stream, sent, take, message } = streamByHand();
  const responder = responderOn(stream);
  message([1, 2, 3, 4, 5]);
  for (const result of [1, 2]) responder.add(result);
  await tick();
  for (const result of [3, 4]) {
    responder.add(result);
    await tick();
  }
  assert.equal(sent, [[1, 2]]);
  take();
  assert.equal(sent, [
    [1, 2],
    [3, 4],
  ]);
});

test('the stream ends when the caller is done and everything was answered, whichever is last', async () => {
  for (const order of ['end first', 'answer first']) {
    const { stream, take, message, end, over } = streamByHand();
    const responder = responderOn(stream);
    message([1]);
    if (order === 'end first') end();
    assert.is(over(), undefined);
    responder.add(1);
    await tick();
    if (order === 'answer first') end();
    take();
    assert.is(over(), 'ended');
  }
});

test('a caller that does not read is cut before its results fill the memory', async () => {
  const { stream, sent, message, over } = streamByHand();
  const responder = responderOn(stream, 3);
  message([1, 2, 3, 4, 5, 6]);
  responder.add(1);
  await tick();
  for (const result of [2, 3, 4]) responder.add(result);
  assert.is(over(), undefined);
  responder.add(5);
  assert.is(over(), 'failed');
  responder.add(6);
  await tick();
  assert.equal(sent, [[1]]);
});

test.run();
