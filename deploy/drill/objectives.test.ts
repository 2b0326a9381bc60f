import { readdirSync } from 'node:fs';
import { assert, suite } from '#libs/testing/suite.js';
import { DRILLS } from './drills/drills.js';
import { attainments, missed, parseObjectives, readObjectives } from './objectives.js';
import { exampleRow } from './test-result.js';

const test = suite('drill objectives');
const parse = (content: object) => parseObjectives(JSON.stringify(content), 'drills/d.json');

test('every drill has objectives, and no objectives are left without a drill', () => {
  for (const { name } of DRILLS) assert.is(readObjectives(name).limits.lost, 0, name);
  const files = readdirSync(new URL('drills', import.meta.url)).filter((file) => file.endsWith('.json'));
  assert.equal(files.sort(), DRILLS.map(({ name }) => `${name}.json`).sort());
});

test('all that is wrong in a file is said at once, with its name', () => {
  assert.throws(
    () => parse({ lost: 1, first_held: 5, longest_pool_wait_ms: -1, why: 3 }),
    /drills\/d\.json: first_held is unknown; longest_pool_wait_ms is no whole number; why is no text; lost is 0/,
  );
  assert.throws(() => parse({}), /lost is 0 in every drill/);
});

test('an objective is met up to its limit, and not by what never came', () => {
  const objectives = parse({ first_held_after_fault_ms: 400, backlog_zero_after_heal_ms: 30_000, lost: 0 });
  const met = (row: object): boolean[] => attainments(objectives, exampleRow(row)).map((attainment) => attainment.met);
  assert.equal(met({}), [true, true, true]);
  assert.equal(met({ first_held_after_fault_ms: 401, backlog_zero_after_heal_ms: null, lost: 1 }), [
    false,
    false,
    false,
  ]);
});

test('errors that a user may see are the requests that had no answer', () => {
  const [errors] = attainments(parse({ errors_a_user_may_see: 2, lost: 0 }), exampleRow({ errors: 3 }));
  assert.equal([errors?.measured, errors?.met], [3, false]);
});

test('each missed objective is a sentence', () => {
  const all = attainments(parse({ first_held_after_fault_ms: 100, lost: 0 }), exampleRow());
  assert.equal(missed(all), ['first_held_after_fault_ms is 400, the objective is 100']);
});

test.run();
