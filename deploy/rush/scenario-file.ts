import { readFileSync } from 'node:fs';
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
  const root = new Part(JSON.parse(text), source, problems);
  const skus = root.list('skus').map(readSku);
  const people = root.list('people').map((part) => readPerson(part, new Map(skus.map((sku) => [sku.skuId, sku]))));
  const scenario = { name: root.text('name', source), about: root.text('about', ''), skus, people };
  if (skus.length === 0 || people.length === 0) problems.push(`${source}: needs skus and people`);
  if (problems.length > 0) throw new Error(problems.slice(0, 20).join('\n'));
  return scenario;
}

function readSku(part: Part): ScenarioSku {
  return slot({
    skuId: part.text('skuId'),
    storeId: part.text('storeId'),
    capacity: part.number('capacity'),
    ...part.only('perUserLimit', 'maxPerOrder', 'holdTtlSeconds', 'opensAtMs'),
    paymentRequired: part.boolean('paymentRequired', true),
  });
}

function readPerson(part: Part, skus: Map<string, ScenarioSku>): Person {
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
    repeats: part.repeats('repeats'),
    patienceMs: part.number('patienceMs', 0),
  });
}

/** One object of the file: hands out its fields and notes what is wrong, so that all is said at once. */
class Part {
  readonly #fields: Record<string, unknown>;

  constructor(
    value: unknown,
    readonly path: string,
    readonly problems: string[],
  ) {
    this.demand(typeof value === 'object' && value !== null, 'is no object');
    this.#fields = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  }

  demand(holds: boolean, problem: string): void {
    if (!holds) this.problems.push(`${this.path}: ${problem}`);
  }

  text(name: string, absent?: string): string {
    const value = this.#fields[name] ?? absent;
    this.demand(typeof value === 'string', `${name} is no text`);
    return String(value);
  }

  number(name: string, absent?: number): number {
    const value = this.#fields[name] ?? absent;
    this.demand(typeof value === 'number' && value >= 0, `${name} is no number from 0`);
    return Number(value);
  }

  boolean(name: string, absent: boolean): boolean {
    const value = this.#fields[name] ?? absent;
    this.demand(typeof value === 'boolean', `${name} is not true or false`);
    return value === true;
  }

  /** Those of the numbers that are there. */
  only(...names: string[]): Record<string, number> {
    return Object.fromEntries(names.filter((name) => name in this.#fields).map((name) => [name, this.number(name)]));
  }

  repeats(name: string): (number | 'after')[] {
    const value = this.#fields[name] ?? [];
    const valid = Array.isArray(value) && value.every((repeat) => repeat === 'after' || typeof repeat === 'number');
    this.demand(valid, `${name} are no milliseconds or "after"`);
    return valid ? (value as (number | 'after')[]) : [];
  }

  list(name: string): Part[] {
    const value = this.#fields[name];
    this.demand(Array.isArray(value), `${name} is no list`);
    const items: unknown[] = Array.isArray(value) ? value : [];
    return items.map((item, index) => new Part(item, `${this.path} ${name}[${index}]`, this.problems));
  }
}
