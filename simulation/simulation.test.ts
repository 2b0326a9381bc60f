import { readFileSync } from 'node:fs';
import { assert, suite } from '#libs/testing/suite.js';
import { transitions } from './model/transitions.js';
import { assumptions, bugs, isRule, type Planted, sloppiness } from './planted.js';
import { runSchedule, scheduleOf } from './run-schedule.js';
import { search } from './search.js';
import { shrink } from './shrink.js';
import { Threads } from './threads.js';

const test = suite('the simulation');

const SCHEDULES = 500;
/** Where a bug was seen last, a changed model may need some more schedules to show it again. */
const SCHEDULES_FOR_A_BUG = 4_000;

test(`every law holds in ${SCHEDULES} schedules`, () => {
  const { broken } = search({ from: 1, count: SCHEDULES, rules: [] });
  assert.is(broken && `seed ${broken.seed}: ${broken.what}`, undefined);
});

test('a thread takes one job after the other', async () => {
  const threads = new Threads(1);
  const found = await Promise.all([1, 11, 21].map((from) => threads.search({ from, count: 10, rules: [] })));
  await threads.close();
  assert.equal(found, [{ checked: 10 }, { checked: 10 }, { checked: 10 }]);
});

test('a thread that dies fails every job that has no answer, and those to come', async () => {
  const dying = 'import { parentPort } from "node:worker_threads"; parentPort.on("message", () => process.exit(3));';
  const threads = new Threads(1, new URL(`data:text/javascript,${encodeURIComponent(dying)}`));
  const searched = (): Promise<string> =>
    threads.search({ from: 1, count: 1, rules: [] }).then(
      () => 'found',
      ({ message }: Error) => message,
    );
  assert.equal(await Promise.all([searched(), searched()]), ['a thread ended with 3', 'a thread ended with 3']);
  assert.is(await searched(), 'a thread ended with 3');
  await threads.close();
});

const planted: readonly Planted[] = [...bugs, ...assumptions];
for (const { name, what, breaks, seenAt } of planted) {
  if (seenAt === undefined || !isRule(name)) continue;
  test(`it is noticed when ${what}`, () => {
    const { broken } = search({ from: seenAt, count: SCHEDULES_FOR_A_BUG, rules: [name] });
    assert.ok(broken, `${name} was not found from seed ${seenAt} on`);
    assert.ok(breaks.includes(broken.law), broken.what);
  });
}

for (const { name, what } of sloppiness) {
  test(`it costs only time when ${what}`, () => {
    const { broken } = search({ from: 1, count: 100, rules: [name] });
    assert.is(broken && `seed ${broken.seed}: ${broken.what}`, undefined);
  });
}

test('a seed gives the same schedule and the same trace again', () => {
  const traceOf = (seed: number): string[] => {
    const trace: string[] = [];
    runSchedule(scheduleOf(seed), new Set(), (text) => trace.push(text));
    return trace;
  };
  assert.equal(scheduleOf(7), scheduleOf(7));
  assert.equal(traceOf(7), traceOf(7));
  assert.is.not(traceOf(7).join(), traceOf(8).join());
});

test('what is left of a schedule breaks the same law in fewer steps', () => {
  const rules = new Set(['no-key'] as const);
  const { broken } = search({ from: 1, count: SCHEDULES, rules: ['no-key'] });
  assert.ok(broken);
  const schedule = scheduleOf(broken.seed);
  const shortest = shrink(schedule, rules, broken.law);
  assert.is(runSchedule(shortest, rules)?.law, broken.law);
  assert.ok(shortest.steps.length < schedule.steps.length / 4, `${shortest.steps.length} steps`);
});

test('the life of an order is that of the ledger', () => {
  const migration = readFileSync(new URL('../libs/ledger/migrations/0003_orders.sql', import.meta.url), 'utf8');
  const inLedger = [
    ...migration.matchAll(
      /\('(\w+)', +'(PAY|CANCEL|EXPIRE|FULFIL)', (?:'(\w+)'|NULL), '(SELL|RELEASE|KEEP|NONE|REFUND|REFUSE)'\)/g,
    ),
  ];
  const inModel = Object.entries(transitions).flatMap(([event, states]) =>
    Object.entries(states).map(([from, [to, effect]]) => `${from} ${event} ${to} ${effect}`),
  );
  const expected = inLedger.map(([, from, event, to, effect]) => `${from} ${event} ${to ?? null} ${effect}`);
  assert.is(expected.length, 28);
  assert.equal(inModel.sort(), expected.sort());
});

test.run();
