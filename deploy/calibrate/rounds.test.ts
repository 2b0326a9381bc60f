import { assert, suite } from '#libs/testing/suite.js';
import { type Meter, runRounds } from './rounds.js';

const test = suite('rounds of measuring');

test('meters take turns after a warm-up that does not count, and the medians are given', async () => {
  const log: string[] = [];
  const meter = (name: string, rates: number[]): Meter => ({
    name,
    run: async (tag) => {
      log.push(`${name} ${tag}`);
      return rates.shift() ?? 0;
    },
    close: async () => {},
  });
  const lines: string[] = [];
  const rounds = await runRounds([meter('a', [1, 30, 5, 10]), meter('b', [1, 7, 7, 9_000])], {
    runs: 3,
    settle: async () => void log.push('settle'),
    report: (line) => lines.push(line),
  });
  assert.equal(
    log.filter((entry) => entry !== 'settle'),
    ['a warm', 'b warm', 'a r1', 'b r1', 'a r2', 'b r2', 'a r3', 'b r3'],
  );
  assert.is(log.filter((entry, index) => index % 2 === 0 && entry === 'settle').length, 8);
  assert.equal(rounds, [
    { perSecond: 10, lowest: 5, highest: 30, runs: 3 },
    { perSecond: 7, lowest: 7, highest: 9_000, runs: 3 },
  ]);
  assert.is(lines.at(-2), 'run 3 of 3: a, so far 18/s');
});

test.run();
