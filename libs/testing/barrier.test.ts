import { barrier } from './barrier.js';
import { assert, suite } from './suite.js';

const test = suite('barrier');

test('nobody passes before the last has arrived, then everybody does', async () => {
  const arrive = barrier(3);
  let passed = 0;
  const pass = async (): Promise<void> => {
    await arrive();
    passed++;
  };
  const early = [pass(), pass()];
  await new Promise(setImmediate);
  assert.is(passed, 0);
  await Promise.all([...early, pass()]);
  assert.is(passed, 3);
});

test('one more than it was made for is an error', async () => {
  const arrive = barrier(1);
  await arrive();
  const error = await arrive().catch((thrown: unknown) => thrown);
  assert.match(String(error), 'reached by more');
});

test.run();
