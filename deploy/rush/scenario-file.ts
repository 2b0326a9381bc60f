import { readFileSync } from 'node:fs';
import { JsonPart } from '#libs/runtime/json-part.js';
import { type Person, person, type Scenario, type ScenarioLine, type ScenarioSku, slot } from './scenario.js';
import { SCENARIO_NAMES } from './scenarios/scenarios.js';

/** Reads a scenario from JSON; throws with everything that is wrong with it. */
export function readScenarioFile(path: string): Scenario {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const names = SCENARIO_NAMES.join(', ');
    throw new Error(`--scenario: ${path} is neither one of ${names} nor a file that can be read`, { cause: error });
  }
  return parseScenario(text, path);
}

/** `source` names it in messages. */
export function parseScenario(text: string, source: string): Scenario {
  const problems: string[] = [];
  const root = new JsonPart(JSON.parse(text), source, problems);
  const skus = root.list('skus').map(readSku);
  const people = root.list('people').map((part) => readPerson(part, new Map(skus.map((sku) => [sku.skuId, sku]))));
  const scenario = { name: root.text('name', source), about: root.text('about', ''), skus, people };
  if (skus.length === 0 || people.length === 0) problems.push(`${source}: needs skus and people`);
  if (problems.length > 0) throw new Error(problems.slice(0, 20).join('\n'));
  return scenario;
}

function readSku(part: JsonPart): ScenarioSku {
  return slot({
    skuId: part.text('skuId'),
    storeId: part.text('storeId'),
    capacity: part.number('capacity'),
    ...numbersIn(part, 'perUserLimit', 'maxPerOrder', 'holdTtlSeconds', 'opensAtMs'),
    paymentRequired: part.boolean('paymentRequired', true),
  });
}

function readPerson(part: JsonPart, skus: Map<string, ScenarioSku>): Person {
  const lines = part.list('lines').map((line): ScenarioLine => {
    const attendeeId = line.text('attendeeId', '');
    const skuId = line.text('skuId');
    line.demand(skus.has(skuId), `no sku ${skuId}`);
    return { skuId, quantity: line.number('quantity', 1), ...(attendeeId === '' ? {} : { attendeeId }) };
  });
  const userId = part.text('userId');
  const storeId = part.text('storeId', skus.get(lines[0]?.skuId ?? '')?.storeId ?? '');
  return person({
    userId,
    storeId,
    arrivesAtMs: part.number('arrivesAtMs', 0),
    lines,
    key: part.text('key', `key-${userId}`),
    repeats: readRepeats(part),
    patienceMs: part.number('patienceMs', 0),
  });
}

/** Those of the numbers that are there. */
function numbersIn(part: JsonPart, ...names: string[]): Record<string, number> {
  return Object.fromEntries(names.filter((name) => part.has(name)).map((name) => [name, part.number(name)]));
}

function readRepeats(part: JsonPart): (number | 'after')[] {
  const value = part.value('repeats') ?? [];
  const valid = Array.isArray(value) && value.every((repeat) => repeat === 'after' || typeof repeat === 'number');
  part.demand(valid, 'repeats are no milliseconds or "after"');
  return valid ? value : [];
}
