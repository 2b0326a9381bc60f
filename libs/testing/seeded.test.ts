import { fixtureFolder } from './fixture.js';
import { runTestFile } from './run-test-file.js';
import { seeded } from './seeded.js';
import { assert, suite } from './suite.js';

const test = suite('seeded');

test('the same seed gives the same numbers, picks and orders', () => {
  const draw = (seed: number): unknown[] => {
    const random = seeded(seed);
    return [random.next(), random.integer(3, 9), random.pick(['a', 'b', 'c']), random.shuffle([1, 2, 3, 4, 5, 6])];
  };
  assert.equal(draw(7), draw(7));
  assert.not.equal(draw(7), draw(8));
});

test('whole numbers reach both ends and never leave them; a shuffle loses nothing', () => {
  const random = seeded(1);
  const drawn = new Set(Array.from({ length: 500 }, () => random.integer(-1, 2)));
  assert.equal([...drawn].sort(), [-1, 0, 1, 2]);
  assert.equal(random.shuffle([1, 2, 3, 4]).sort(), [1, 2, 3, 4]);
});

test('a failed file prints its seed, and HOLDFAST_SEED gives the same numbers', async () => {
  const fixtures = fixtureFolder();
  const file = fixtures.add(
    'random.mjs',
    `import { suite } from '#libs/testing/suite.js';
    import { seeded } from '#libs/testing/seeded.js';
    const test = suite('random');
    test('fails', () => { throw new Error('drew ' + seeded().next()); });
    test.run();`,
  );
  const run = async (env: NodeJS.ProcessEnv): Promise<string> =>
    (await runTestFile(file, { env, timeoutMs: 20_000, signal: new AbortController().signal })).output;
  const first = await run(process.env);
  const again = await run({ ...process.env, HOLDFAST_SEED: /HOLDFAST_SEED=(\d+)/.exec(first)?.[1] });
  assert.ok(drawn(first));
  assert.is(drawn(again), drawn(first));
  fixtures.remove();
});

function drawn(output: string): string | undefined {
  return /drew [\d.e-]+/.exec(output)?.[0];
}

test.run();
