import { Fault } from '#libs/refusal/fault.js';
import { assert, suite } from '#libs/testing/suite.js';
import { BatchQueue } from './batch-queue.js';

const test = suite('BatchQueue');

const tooLate = new Fault('TOO_LATE', 'too late');

test('prune drops what is due wherever it waits, and leaves the rest in place', () => {
  const due = new Set<number>();
  const queue = new BatchQueue<number>({
    maxBatch: 2,
    weigh: () => 1,
    keyOf: (item) => String(item % 2),
    droppedIf: (item) => (due.has(item) ? tooLate : undefined),
  });
  const dropped: number[] = [];
  const drop = (item: number): unknown => dropped.push(item);
  for (let i = 0; i < 6; i += 1) queue.push(i);
  assert.equal(queue.take(drop), [0, 1]);
  queue.push(6);
  for (const item of [2, 5, 6]) due.add(item);
  queue.prune(drop);
  assert.equal(dropped.sort(), [2, 5, 6]);
  assert.is(queue.waiting, 2);
  assert.equal(queue.take(drop), [4, 3]);
  assert.is(queue.waiting, 0);
});

test('a key that never empties stays in order for thousands of items', () => {
  const queue = new BatchQueue<number[]>({ maxBatch: 10, maxWaiting: 5_000, keyOf: () => 'hot' });
  for (let i = 0; i < 3_000; i += 1) queue.push([i]);
  for (let round = 0; round < 1_000; round += 1) {
    const batch = queue.take(() => undefined);
    assert.is(batch.length, 10);
    for (let i = 0; i < 10; i += 1) queue.push([round]);
  }
  assert.is(queue.waiting, 3_000);
  const inOrder = queue.take(() => undefined).map(([first]) => first);
  assert.equal(inOrder, Array(10).fill(700));
});

test.run();
