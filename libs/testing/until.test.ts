import { assert, suite } from './suite.js';
import { until } from './until.js';

const test = suite('until');

test('resolves the first true value, asking again after a false or a throw', async () => {
  const answers = [
    () => 0,
    () => {
      throw new Error('not yet');
    },
    () => 'here',
  ];
  assert.is(await until(() => answers.shift()?.()), 'here');
  assert.is(answers.length, 0);
});

test('gives up with the description and the last error as cause', async () => {
  const cause = new Error('still closed');
  const thrown = await until(() => Promise.reject(cause), { timeoutMs: 20, describe: 'the gate opens' }).catch(
    (error: unknown) => error,
  );
  assert.instance(thrown, Error);
  assert.is((thrown as Error).message, 'not within 20 ms: the gate opens');
  assert.is((thrown as Error).cause, cause);
});

test.run();
