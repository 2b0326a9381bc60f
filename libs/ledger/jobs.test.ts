import { Fault } from '#libs/refusal/fault.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import { only, type TestLedger, testLedger } from './test-ledger.js';

const test = suite('jobs');
let db: TestLedger;

test.before(async () => {
  db = await testLedger({ max: 16 });
});
test.after(() => db.drop());

const makeDue = (name: string): Promise<object[]> =>
  db.sql(`UPDATE ledger.jobs SET next_run_at = now() WHERE name = $1`, [name]);
/** How many of sixteen schedulers get the run. */
const winners = async (name: string): Promise<number> =>
  (await Promise.all(Array.from({ length: 16 }, () => db.ledger.jobsClaim([{ name, periodMs: 60_000 }])))).flat()
    .length;

test("a due run is one scheduler's, the first time and every time", async () => {
  assert.is(await winners('expire'), 1);
  assert.is(await winners('expire'), 0);
  await makeDue('expire');
  assert.is(await winners('expire'), 1);
});

test('a claimed run is due again after its period', async () => {
  const job = only(await db.ledger.jobsClaim([{ name: 'sync', periodMs: 5_000 }]));
  assert.is(job.nextRunAt.getTime() - (job.lastRunAt?.getTime() ?? 0), 5_000);
});

test('a paused job waits for every scheduler, unless it is forced', async () => {
  await db.ledger.jobsClaim([{ name: 'sweep', periodMs: 1 }]);
  const paused = await db.ledger.jobSetPaused('sweep', true, 'migration');
  assert.equal([paused.paused, paused.pauseReason], [true, 'migration']);
  await makeDue('sweep');
  assert.is(await winners('sweep'), 0);
  const forced = await db.ledger.jobsClaim([{ name: 'sweep', periodMs: 60_000 }], { forced: true });
  assert.is(only(forced).name, 'sweep');
  assert.is((await db.ledger.jobSetPaused('sweep', false)).pauseReason, undefined);
  await makeDue('sweep');
  assert.is(await winners('sweep'), 1);
  assert.is((await rejectionOf(db.ledger.jobSetPaused('nothing', true), Fault)).reason, 'JOB_NOT_FOUND');
});

test('how a run ended can be read, and it may say when the next one is due', async () => {
  await db.ledger.jobsClaim([{ name: 'warm-up', periodMs: 60_000 }]);
  await db.ledger.jobsFinish([{ name: 'warm-up', result: '3 skus', nextInMs: 1 }]);
  const job = only((await db.ledger.jobsRead()).filter(({ name }) => name === 'warm-up'));
  assert.is(job.lastResult, '3 skus');
  assert.ok(job.lastRunAt && job.nextRunAt.getTime() - job.lastRunAt.getTime() < 60_000);
});

test("of many jobs each run is one scheduler's, in whatever order they are asked for and noted", async () => {
  const names = Array.from({ length: 13 }, (_, index) => `job-${index}`);
  const taken = new Map(names.map((name) => [name, 0]));
  const schedule = async (turn: number): Promise<void> => {
    const mine = turn % 2 === 0 ? names : [...names].reverse();
    const given = await db.ledger.jobsClaim(mine.map((name) => ({ name, periodMs: 60_000 })));
    for (const { name } of given) taken.set(name, (taken.get(name) ?? 0) + 1);
    await db.ledger.jobsFinish(given.map(({ name }) => ({ name, result: `${turn}`, nextInMs: 60_000 })).reverse());
  };
  for (const round of [1, 2, 3, 4, 5]) {
    await Promise.all(Array.from({ length: 16 }, (_, turn) => schedule(turn)));
    assert.equal([...new Set(taken.values())], [round]);
    await db.sql(`UPDATE ledger.jobs SET next_run_at = now() WHERE name LIKE 'job-%'`);
  }
});

test.run();
