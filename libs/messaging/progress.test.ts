import { assert, suite } from '#libs/testing/suite.js';
import { Progress } from './progress.js';

const test = suite('progress of a consumer');

const at = (consumer_seq: number, acked: number, pending: number, created = 'c-1') => ({
  created,
  delivered: { consumer_seq, stream_seq: consumer_seq },
  ack_floor: { consumer_seq: acked, stream_seq: acked },
  num_pending: pending,
  num_ack_pending: consumer_seq - acked,
});

test('it stands still while messages wait and none is delivered nor acked', () => {
  const progress = new Progress(3_000);
  assert.is(progress.stillMs(0), undefined);
  progress.saw(at(5, 5, 10), 1_000);
  progress.saw(at(5, 5, 12), 3_000);
  assert.is(progress.stillMs(3_500), 2_000);
  progress.saw(at(6, 5, 11), 4_000);
  assert.is(progress.stillMs(4_000), 0);
  progress.saw(at(6, 6, 11), 5_000);
  assert.is(progress.stillMs(5_000), 0);
});

test('with nothing to do it does not stand still', () => {
  const progress = new Progress(3_000);
  for (const nowMs of [0, 2_000, 4_000]) progress.saw(at(5, 5, 0), nowMs);
  assert.is(progress.stillMs(4_000), 0);
});

test('what happened while nobody looked is not counted, and what was last seen is soon not known any more', () => {
  const progress = new Progress(3_000);
  progress.saw(at(5, 5, 1), 0);
  assert.is(progress.stillMs(3_001), undefined);
  progress.saw(at(5, 5, 1), 60_000);
  assert.is(progress.stillMs(60_000), 0);
  progress.saw(at(5, 5, 1), 62_000);
  assert.is(progress.stillMs(62_000), 2_000);
});

test('another consumer of the same name is noticed once', () => {
  const progress = new Progress(3_000);
  assert.is(progress.saw(at(5, 5, 1), 0), false);
  assert.is(progress.saw(at(5, 5, 1, 'c-2'), 1_000), true);
  assert.is(progress.saw(at(5, 5, 1, 'c-2'), 2_000), false);
});

test.run();
