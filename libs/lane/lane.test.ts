import fc from 'fast-check';
import { Fault } from '#libs/refusal/fault.js';
import { assert, suite } from '#libs/testing/suite.js';
import { Lane, type LaneOptions } from './lane.js';

const test = suite('Lane');

interface Recorded {
  batches: string[][];
  lane: Lane<string, string>;
  /** Ends the oldest run that is in flight. */
  finish(error?: Error): Promise<void>;
}

/** A lane whose runs end when the test says so. */
function recorded(options: Partial<LaneOptions<string, string>> = {}): Recorded {
  const batches: string[][] = [];
  const running: ((error?: Error) => void)[] = [];
  const run = (batch: string[]) =>
    new Promise<string[]>((resolve, reject) => {
      batches.push(batch);
      running.push((error) => (error ? reject(error) : resolve(batch.map((item) => item.toUpperCase()))));
    });
  const finish = async (error?: Error): Promise<void> => {
    running.shift()?.(error);
    await tick();
  };
  return { batches, finish, lane: new Lane({ name: 'test', run, ...options }) };
}

/** Turns start at the end of a tick: after this one they have. */
async function tick(): Promise<void> {
  for (let i = 0; i < 3; i += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Takes items that are never answered, or not in the way the test is about. */
function ignore(...results: Promise<unknown>[]): void {
  for (const result of results) result.catch(() => undefined);
}

async function faultOf(result: Promise<unknown>): Promise<Fault> {
  const error = await result.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  assert.instance(error, Fault);
  return error as Fault;
}

test('an item that finds the lane idle goes alone', async () => {
  const { lane, batches, finish } = recorded();
  const result = lane.add('a');
  await tick();
  await finish();
  assert.is(await result, 'A');
  assert.equal(batches, [['a']]);
});

test('what is added in one tick goes together', async () => {
  const { lane, batches, finish } = recorded();
  const results = ['a', 'b', 'c'].map((item) => lane.add(item));
  await tick();
  await finish();
  assert.equal(await Promise.all(results), ['A', 'B', 'C']);
  assert.equal(batches, [['a', 'b', 'c']]);
});

test('everything that arrives during a run goes together in the next', async () => {
  const { lane, batches, finish } = recorded();
  ignore(lane.add('a'));
  await tick();
  ignore(lane.add('b'));
  await tick();
  ignore(lane.add('c'), lane.add('d'));
  await tick();
  assert.equal(batches, [['a']]);
  assert.is(lane.waiting, 3);
  await finish();
  assert.equal(batches, [['a'], ['b', 'c', 'd']]);
  assert.is(lane.waiting, 0);
});

test('as many runs are in flight as there are turns', async () => {
  const { lane, batches, finish } = recorded({ turns: 2, maxBatch: 1 });
  ignore(lane.add('a'), lane.add('b'), lane.add('c'));
  await tick();
  assert.equal(batches, [['a'], ['b']]);
  await finish();
  assert.equal(batches, [['a'], ['b'], ['c']]);
});

test('a failing run rejects exactly its batch', async () => {
  const { lane, finish } = recorded({ maxBatch: 2 });
  const results = ['a', 'b', 'c'].map((item) => lane.add(item));
  ignore(...results);
  await tick();
  const failure = new Error('the run failed');
  await finish(failure);
  await finish();
  const settled = await Promise.allSettled(results);
  assert.equal(settled, [
    { status: 'rejected', reason: failure },
    { status: 'rejected', reason: failure },
    { status: 'fulfilled', value: 'C' },
  ]);
});

test('a run that answers too few items rejects them all rather than answer the wrong ones', async () => {
  const lane = new Lane<string, string>({ name: 'short', run: async () => ['only one'] });
  const settled = await Promise.allSettled([lane.add('a'), lane.add('b')]);
  assert.equal(
    settled.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
});

test('a run that throws before its first await rejects its batch and the lane goes on', async () => {
  let calls = 0;
  const lane = new Lane<string, string>({
    name: 'throwing',
    run: (batch) => {
      calls += 1;
      if (calls === 1) throw new Error('at once');
      return Promise.resolve(batch);
    },
  });
  const [first] = await Promise.allSettled([lane.add('a')]);
  assert.is(first?.status, 'rejected');
  assert.is(await lane.add('b'), 'b');
});

test('a full lane answers BUSY at once and keeps what it has', async () => {
  const { lane, batches, finish } = recorded({ maxWaiting: 2 });
  const results = ['a', 'b'].map((item) => lane.add(item));
  const fault = await faultOf(lane.add('c'));
  assert.is(fault.reason, 'BUSY');
  assert.type(fault.retryAfterMs, 'number');
  await tick();
  await finish();
  assert.equal(await Promise.all(results), ['A', 'B']);
  assert.equal(batches, [['a', 'b']]);
});

test('a hot key does not starve a cold one', async () => {
  const { lane, batches, finish } = recorded({ maxBatch: 4, keyOf: (item) => item.charAt(0) });
  const hot = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'h7'];
  ignore(...[...hot, 'c1', 'c2'].map((item) => lane.add(item)));
  await tick();
  await finish();
  await finish();
  assert.equal(batches, [['h1', 'c1', 'h2', 'c2'], ['h3', 'h4', 'h5', 'h6'], ['h7']]);
});

test('a key that had its turn waits for those that had not', async () => {
  const { lane, batches, finish } = recorded({ maxBatch: 2, keyOf: (item) => item.charAt(0) });
  ignore(...['a1', 'b1', 'c1', 'a2', 'b2', 'c2'].map((item) => lane.add(item)));
  await tick();
  ignore(lane.add('d1'));
  await finish();
  await finish();
  await finish();
  assert.equal(batches, [['a1', 'b1'], ['c1', 'a2'], ['b2', 'd1'], ['c2']]);
});

test('a batch ends before it weighs too much, and what is too heavy goes alone', async () => {
  const { lane, batches, finish } = recorded({ maxWeight: 5, weigh: (item) => item.length });
  ignore(...['aaa', 'bb', 'c', 'ddddddd', 'e'].map((item) => lane.add(item)));
  await tick();
  await finish();
  await finish();
  await finish();
  assert.equal(batches, [['aaa', 'bb'], ['c'], ['ddddddd'], ['e']]);
});

test('what must not go on any more is dropped when its batch is filled, in a short queue and in a long one', async () => {
  for (const maxBatch of [10, 2]) {
    const late = new Set<string>();
    const tooLate = new Fault('TOO_LATE', 'too late');
    const { lane, batches, finish } = recorded({
      maxBatch,
      droppedIf: (item) => (late.has(item) ? tooLate : undefined),
    });
    ignore(lane.add('first'));
    await tick();
    const results = ['a', 'b', 'c', 'd'].map((item) => lane.add(item));
    ignore(...results);
    late.add('a').add('c');
    await finish();
    assert.equal(batches, [['first'], ['b', 'd']]);
    await finish();
    assert.is((await faultOf(results[0] as Promise<string>)).reason, 'TOO_LATE');
    assert.is((await faultOf(results[2] as Promise<string>)).reason, 'TOO_LATE');
    assert.is(await results[3], 'D');
  }
});

test('a batch of nothing but dropped items starts no run', async () => {
  const tooLate = new Fault('TOO_LATE', 'too late');
  const { lane, batches } = recorded({ droppedIf: () => tooLate });
  assert.is((await faultOf(lane.add('a'))).reason, 'TOO_LATE');
  await lane.drain();
  assert.equal(batches, []);
});

test('drain resolves when nothing waits and nothing runs', async () => {
  const { lane, finish } = recorded({ maxBatch: 1 });
  await lane.drain();
  ignore(lane.add('a'), lane.add('b'));
  let drained = false;
  const drain = lane.drain().then(() => {
    drained = true;
  });
  await tick();
  await finish();
  assert.is(drained, false);
  await finish();
  await drain;
  assert.is(lane.waiting, 0);
});

test('over random arrivals every item is answered once, in order within its key, and no batch breaks a bound', async () => {
  const step = fc.oneof(
    fc.record({
      kind: fc.constant('add' as const),
      key: fc.constantFrom('a', 'b', 'c'),
      weight: fc.integer({ min: 1, max: 4 }),
    }),
    fc.record({ kind: fc.constant('finish' as const), fails: fc.boolean() }),
  );
  const bounds = fc.record({
    maxBatch: fc.integer({ min: 1, max: 6 }),
    maxWeight: fc.integer({ min: 4, max: 12 }),
    turns: fc.integer({ min: 1, max: 2 }),
    maxWaiting: fc.integer({ min: 1, max: 30 }),
  });
  await fc.assert(
    fc.asyncProperty(bounds, fc.array(step, { maxLength: 120 }), async (limits, steps) => {
      const weigh = (item: string): number => Number(item.split('-')[1]);
      const keyOf = (item: string): string => item.charAt(0);
      const { lane, batches, finish } = recorded({ ...limits, weigh, keyOf });
      const answers = new Map<string, number>();
      let refused = 0;
      for (const [i, made] of steps.entries()) {
        if (made.kind === 'finish') {
          await finish(made.fails ? new Error('failed') : undefined);
          continue;
        }
        const item = `${made.key}-${made.weight}-${i}`;
        const count = (): unknown => answers.set(item, (answers.get(item) ?? 0) + 1);
        lane.add(item).then(count, (error: unknown) => {
          if (error instanceof Fault && error.reason === 'BUSY') refused += 1;
          else count();
        });
      }
      const drain = lane.drain();
      for (let i = 0; i <= steps.length; i += 1) await finish();
      await drain;

      const sent = batches.flat();
      const added = steps.filter((made) => made.kind === 'add').length;
      assert.is(sent.length + refused, added);
      assert.is(new Set(sent).size, sent.length);
      assert.equal([...answers.keys()].sort(), [...sent].sort());
      assert.ok([...answers.values()].every((times) => times === 1));
      for (const batch of batches) {
        assert.ok(batch.length <= limits.maxBatch);
        assert.ok(batch.length === 1 || batch.reduce((sum, item) => sum + weigh(item), 0) <= limits.maxWeight);
      }
      for (const key of ['a', 'b', 'c']) {
        const order = sent.filter((item) => keyOf(item) === key).map((item) => Number(item.split('-')[2]));
        assert.equal(
          order,
          [...order].sort((a, b) => a - b),
        );
      }
    }),
    { numRuns: 60 },
  );
});

test.run();
