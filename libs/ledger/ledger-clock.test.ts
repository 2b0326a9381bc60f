import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { LedgerClock } from './ledger-clock.js';
import { type TestLedger, testLedger } from './test-ledger.js';

const test = suite('ledger clock');
let db: TestLedger;

test.before(async () => {
  db = await testLedger();
});
test.after(() => db.drop());

test('I13: a process counts on from what the ledger said, whatever its own clock shows', async () => {
  const ahead = 600_000;
  const clock = new LedgerClock({ clockRead: async () => new Date(Date.now() + ahead) });
  assert.throws(() => clock.now(), 'not measured');
  await clock.start();
  const offset = clock.now().getTime() - Date.now();
  clock.stop();
  assert.ok(Math.abs(offset - ahead) < 5_000, `${offset}`);
});

test('it agrees with the ledger to within the time of asking', async () => {
  const clock = new LedgerClock(db.ledger);
  await clock.start();
  clock.stop();
  const before = clock.now().getTime();
  const ledger = (await db.ledger.clockRead()).getTime();
  const after = clock.now().getTime();
  assert.ok(ledger >= before - 1_000 && ledger <= after + 1_000, `${before} ${ledger} ${after}`);
});

test('it is measured again and again, and a failure leaves it going', async () => {
  const errors: unknown[] = [];
  let asked = 0;
  const clockRead = async (): Promise<Date> => {
    asked += 1;
    if (asked === 2) throw new Error('away');
    return new Date(asked < 3 ? 0 : 1_000_000);
  };
  const clock = new LedgerClock({ clockRead, refreshMs: 1, onError: (error) => errors.push(error) });
  await clock.start();
  await until(() => clock.now().getTime() >= 1_000_000);
  clock.stop();
  assert.is(errors.length, 1);
});

test('it does not start without a first answer', async () => {
  const clock = new LedgerClock({ clockRead: () => Promise.reject(new Error('away')) });
  assert.is((await rejectionOf(clock.start())).message, 'away');
});

test.run();
