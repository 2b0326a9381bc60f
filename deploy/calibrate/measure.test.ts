import { parseLimits } from '#libs/mesh/limits-file.js';
import { assert, suite } from '#libs/testing/suite.js';
import { chooseLimits } from './choose-limits.js';
import { measure } from './measure.js';
import { sampleSales } from './sales.js';

const test = suite('measuring');

test('a little of each is measured on a mesh of its own, and gives a file that can be used', async () => {
  const lines: string[] = [];
  const effort = { runs: 1, ledgerClaims: 600, consumerClaims: 480, pathRequests: 300 };
  const { measured, spread } = await measure(effort, (line) => lines.push(line));
  for (const [name, { perSecond, runs }] of Object.entries(spread)) {
    assert.ok(perSecond > 1, `${name}: ${perSecond}`);
    assert.is(runs, 1);
    assert.ok(lines.some((line) => line.startsWith(`run 1 of 1: ${name}`)));
  }
  const { file } = chooseLimits(measured, sampleSales(new Date()));
  assert.equal(parseLimits(JSON.stringify(file), 'file'), file);
});

test.run();
