import { assert, suite } from '#libs/testing/suite.js';
import { readArguments } from './arguments.js';
import { DRILLS } from './drills/drills.js';
import { drillHelp, drillList } from './help.js';

const test = suite('drill arguments');

const run = (...args: string[]) => {
  const given = readArguments(args);
  if (given.command !== 'run') throw new Error(`not a run: ${given.command}`);
  return { ...given, drills: given.drills.map(({ name }) => name) };
};

test('drills are run by name, or all in their order', () => {
  assert.equal(run('redis-kill').drills, ['redis-kill']);
  assert.equal(run('nats-kill', 'redis-kill').drills, ['nats-kill', 'redis-kill']);
  assert.equal(
    run('all').drills,
    DRILLS.map(({ name }) => name),
  );
  assert.is(new Set(DRILLS.map(({ name }) => name)).size, DRILLS.length);
});

test('with --control only those that have an unsafe twin are run', () => {
  assert.equal(
    run('all', '--control').drills,
    DRILLS.filter(({ twin }) => twin).map(({ name }) => name),
  );
  assert.throws(() => run('process-kill-bff', '--control'), /process-kill-bff has no unsafe twin/);
});

test('what is no drill and what is no seed is refused, and named', () => {
  assert.throws(() => run('redis-kil'), /there is no drill redis-kil/);
  for (const seed of ['abc', '', '1.5', '4294967296'])
    assert.throws(() => run('all', `--seed=${seed}`), /is no whole number/);
  assert.equal([run('all', '--seed', '7').seed, run('all').seed], [7, undefined]);
});

test('the day at the clinic is run by itself', () => {
  const given = readArguments(['clinic-day', '--json', '--seed', '7']);
  assert.equal(given, { command: 'clinic-day', json: true, control: false, seed: 7 });
  assert.throws(() => readArguments(['clinic-day', 'redis-kill']), /is run by itself/);
});

test('without a name, and with --help, help is given', () => {
  assert.equal([readArguments([]).command, readArguments(['all', '--help']).command], ['help', 'help']);
  assert.is(readArguments(['list']).command, 'list');
  assert.match(drillHelp(), /--control/);
  for (const { name, about } of DRILLS) assert.ok(drillList().includes(name) && drillList().includes(about), name);
});

test.run();
