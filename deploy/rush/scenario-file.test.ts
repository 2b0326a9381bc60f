import { assert, suite } from '#libs/testing/suite.js';
import { parseScenario } from './scenario-file.js';
import { scenarioNamed } from './scenarios/scenarios.js';

const test = suite('scenario file');

test('a built-in scenario written as JSON reads back the same', () => {
  const flash = scenarioNamed('flash', 3);
  assert.equal(parseScenario(JSON.stringify(flash), 'file'), flash);
});

test('what is left out takes its default, the store that of the first line', () => {
  const { skus, people } = parseScenario(
    JSON.stringify({
      skus: [{ skuId: 'seat', storeId: 'hall', capacity: 1 }],
      people: [{ userId: 'ada', lines: [{ skuId: 'seat' }] }],
    }),
    'file',
  );
  assert.equal([skus[0]?.perUserLimit, skus[0]?.paymentRequired], [1, true]);
  assert.equal(people[0], {
    userId: 'ada',
    storeId: 'hall',
    key: 'key-ada',
    arrivesAtMs: 0,
    lines: [{ skuId: 'seat', quantity: 1 }],
    repeats: [],
    patienceMs: 0,
  });
});

test('everything that is wrong is said at once, with its place', () => {
  const text = JSON.stringify({
    skus: [{ skuId: 'seat', storeId: 7, capacity: 'many' }],
    people: [{ userId: 'ada', lines: [{ skuId: 'chair' }], repeats: ['soon'] }],
  });
  const message = thrown(() => parseScenario(text, 'file'));
  for (const part of ['skus[0]: storeId', 'skus[0]: capacity', 'lines[0]: no sku chair', 'people[0]: repeats']) {
    assert.ok(message.includes(part), `${part} in ${message}`);
  }
});

function thrown(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    return (error as Error).message;
  }
  return 'nothing was thrown';
}

test.run();
