import { randomUUID } from 'node:crypto';
import { type TestLedger, testLedger } from '#libs/ledger/test-ledger.js';
import { createLogger } from '#libs/runtime/logger.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { AlertBreakers, type AlertBreakersOptions } from './alert-breakers.js';

const test = suite('alerts of breakers');
let db: TestLedger;

test.before(async () => {
  db = await testLedger();
});
test.after(() => db.drop());

/** A breaker in the hands of the test. */
class HeldBreaker {
  openSinceMs: number | undefined;
  #closed: (() => void)[] = [];

  onClosed(listener: () => void): void {
    this.#closed.push(listener);
  }

  close(): void {
    this.openSinceMs = undefined;
    for (const listener of this.#closed) listener();
  }
}

interface Row {
  subject: string;
  facts: Record<string, unknown>;
  times_seen: number;
  cleared_reason: string | null;
}

const alerts = (instance: string): Promise<Row[]> =>
  db.sql<Row>('SELECT * FROM ledger.alerts WHERE subject LIKE $1 ORDER BY id', [`${instance} %`]);

function watch(gate: HeldBreaker, some: Partial<AlertBreakersOptions> = {}) {
  const instance = `inventory-${randomUUID()}`;
  const logger = createLogger('test', 'silent');
  const options = { breakers: { gate }, ledger: db.ledger, instance, logger, afterMs: 100, lookEveryMs: 20, ...some };
  return { instance: options.instance, alerting: new AlertBreakers(options) };
}

test('a breaker that stays open is alerted of once, seen again and again, and cleared when it has closed', async () => {
  const gate = new HeldBreaker();
  const { instance, alerting } = watch(gate);
  gate.openSinceMs = performance.now();
  await until(async () => ((await alerts(instance))[0]?.times_seen ?? 0) >= 3);
  const [raised, ...more] = await alerts(instance);
  assert.equal([raised?.subject, raised?.facts.callee, more], [`${instance} gate`, 'gate', []]);
  gate.close();
  await until(async () => (await alerts(instance))[0]?.cleared_reason === 'it has closed');
  await alerting.close();
});

test('one that closes soon is not alerted of', async () => {
  const gate = new HeldBreaker();
  const { instance, alerting } = watch(gate, { afterMs: 60_000 });
  gate.openSinceMs = performance.now();
  await alerting.close();
  assert.equal(await alerts(instance), []);
});

test('while the ledger is away it is not told, and it is when it is back', async () => {
  const gate = new HeldBreaker();
  let isAway = true;
  let asked = 0;
  const alertRaise: typeof db.ledger.alertRaise = async (alert) => {
    asked += 1;
    if (isAway) throw new Error('the ledger is away');
    return await db.ledger.alertRaise(alert);
  };
  const { instance, alerting } = watch(gate, { ledger: { ...db.ledger, alertRaise } });
  gate.openSinceMs = performance.now() - 1000;
  await until(() => asked > 1);
  isAway = false;
  await until(async () => (await alerts(instance)).length === 1);
  await alerting.close();
  assert.is((await alerts(instance))[0]?.cleared_reason, 'the process ended');
});

test('what a process of the same name has left open when it died is cleared at the start', async () => {
  const instance = `inventory-${randomUUID()}`;
  const subject = `${instance} gate`;
  await db.ledger.alertRaise({ kind: 'BREAKER_OPEN', subject, facts: {}, command: 'holdfast status' });
  const { alerting } = watch(new HeldBreaker(), { instance });
  await until(async () => (await alerts(instance))[0]?.cleared_reason === 'it has closed');
  await alerting.close();
});

test.run();
