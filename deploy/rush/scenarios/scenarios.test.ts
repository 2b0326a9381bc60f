import { assert, suite } from '#libs/testing/suite.js';
import { prefixed, type Scenario, spread } from '../scenario.js';
import { SCENARIO_NAMES, scenarioNamed } from './scenarios.js';

const test = suite('scenarios');

function built(name: string, seed = 1): Scenario {
  const scenario = scenarioNamed(name, seed);
  if (!scenario) throw new Error(`no scenario ${name}`);
  return scenario;
}

const arrivals = (scenario: Scenario): number[] => scenario.people.map((person) => person.arrivesAtMs);

test('one seed is one crowd, another seed another crowd of the same kind', () => {
  for (const name of SCENARIO_NAMES) {
    assert.equal(built(name, 7), built(name, 7));
    assert.not.equal(built(name, 7).people, built(name, 8).people);
    assert.is(built(name, 7).people.length, built(name, 8).people.length);
  }
});

test('every person wants skus of their own store that are on offer, under a key of their own', () => {
  for (const scenario of SCENARIO_NAMES.map((name) => built(name))) {
    const stores = new Map(scenario.skus.map((sku) => [sku.skuId, sku.storeId]));
    for (const { storeId, lines } of scenario.people) {
      assert.ok(lines.every((line) => stores.get(line.skuId) === storeId));
    }
    const keys = new Set(scenario.people.map((person) => `${person.userId} ${person.key}`));
    assert.is(keys.size, scenario.people.length);
  }
});

test('clinic: twelve stores open at one instant, the crowd comes within a second, cold stores have room for all', () => {
  const { skus, people } = built('clinic');
  const stores = [...new Set(skus.map((sku) => sku.storeId))];
  assert.is(stores.length, 12);
  assert.ok(skus.every((sku) => sku.opensAtMs === 0));
  const hot = skus.filter((sku) => sku.storeId === 'clinic-hot').map((sku) => sku.capacity);
  assert.equal(hot, [40, ...Array.from({ length: 10 }, () => 4)]);
  assert.is(people.filter((person) => person.lines[0]?.skuId === 'hot-0').length, 900);
  assert.ok(people.every((person) => person.arrivesAtMs >= 0 && person.arrivesAtMs < 1000));
  for (const store of stores.filter((id) => id !== 'clinic-hot')) {
    assert.equal(
      skus.filter((sku) => sku.storeId === store).map((sku) => sku.capacity),
      [10, 10, 10, 10],
    );
    assert.is(people.filter((person) => person.storeId === store).length, 10);
  }
});

test('salon: 130 people for one unit within four seconds, 18 for another within a millisecond', () => {
  const { skus, people } = built('salon');
  assert.equal(
    skus.map((sku) => sku.capacity),
    [1, 1],
  );
  const [morning, noon] = skus.map((sku) => people.filter((person) => person.lines[0]?.skuId === sku.skuId));
  assert.is(morning?.length, 130);
  assert.is(noon?.length, 18);
  assert.ok(morning?.every((person) => person.arrivesAtMs < 4000));
  assert.ok(noon?.every((person) => person.arrivesAtMs < 1));
});

test('class: half press five times with one key, a tenth are parents who share a child', () => {
  const { skus, people } = built('class');
  assert.equal([skus.length, skus[0]?.capacity, people.length], [1, 6, 60]);
  assert.is(people.filter((person) => person.repeats.length === 4).length, 30);
  const children = people.flatMap((person) => person.lines[0]?.attendeeId ?? []);
  assert.is(children.length, 6);
  assert.is(new Set(children).size, 3);
});

test('flash: all at once, one to three units, and twice more with the same key, once meanwhile and once after', () => {
  const { skus, people } = built('flash');
  assert.equal([skus[0]?.capacity, skus[0]?.perUserLimit, people.length], [1000, 3, 5000]);
  assert.ok(arrivals(built('flash')).every((at) => at === 0));
  assert.equal([...new Set(people.map((person) => person.lines[0]?.quantity))].sort(), [1, 2, 3]);
  assert.ok(people.every(({ repeats }) => repeats.length === 2 && repeats[0] !== 'after' && repeats[1] === 'after'));
});

test('basket: two or three lines in any order over thirty skus that do not suffice, some naming a sku twice', () => {
  const { skus, people } = built('basket');
  assert.is(skus.length, 30);
  assert.ok(people.every((person) => person.lines.length === 2 || person.lines.length === 3));
  const twice = people.filter((person) => new Set(person.lines.map((line) => line.skuId)).size < person.lines.length);
  assert.ok(twice.length > 0);
  const wanted = people.flatMap((person) => person.lines).reduce((sum, line) => sum + line.quantity, 0);
  const offered = skus.reduce((sum, sku) => sum + sku.capacity, 0);
  assert.ok(wanted > 2 * offered);
  const falling = people.filter(({ lines: [a, b] }) => (a?.skuId ?? '') > (b?.skuId ?? ''));
  assert.ok(falling.length > 0 && falling.length < people.length);
});

test('a prefix makes every id the own of a run and leaves who shares what', () => {
  const { skus, people } = prefixed(built('class'), 'run7');
  const ids = [...skus, ...people].flatMap((one) => Object.entries(one)).filter(([name]) => /Id$|^key$/.test(name));
  assert.ok(ids.length > 0 && ids.every(([, id]) => String(id).startsWith('run7-')));
  assert.is(new Set(people.flatMap((person) => person.lines[0]?.attendeeId ?? [])).size, 3);
});

test('arrivals spread over a time keep their order and fill it evenly', () => {
  const before = built('salon');
  const after = spread(before, 10);
  const order = (scenario: Scenario): string[] =>
    [...scenario.people].sort((a, b) => a.arrivesAtMs - b.arrivesAtMs).map((person) => person.userId);
  assert.equal(order(after), order(before));
  assert.is(Math.min(...arrivals(after)), 0);
  assert.is(Math.round(Math.max(...arrivals(after))), Math.round(10_000 - 10_000 / after.people.length));
});

test.run();
