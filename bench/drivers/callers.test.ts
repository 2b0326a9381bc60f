import { assert, suite } from '#libs/testing/suite.js';
import { runCallers } from './callers.js';

const test = suite('callers');

test('each call is made once, as many at a time as there are callers, and those that came to something are counted', async () => {
  const made: number[] = [];
  let [under, most] = [0, 0];
  const { held } = await runCallers(4, 20, async (n) => {
    under += 1;
    most = Math.max(most, under);
    made.push(n);
    await Promise.resolve();
    under -= 1;
    return n % 2 === 0;
  });
  assert.equal(made, [...Array(20).keys()]);
  assert.is(most, 4);
  assert.is(held, 10);
});

test('what goes wrong in a call ends the run', async () => {
  const failing = runCallers(2, 10, () => Promise.reject(new Error('gone')));
  assert.is(await failing.catch((error: Error) => error.message), 'gone');
});

test.run();
