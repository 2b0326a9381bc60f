import { randomUUID } from 'node:crypto';
import { claimOf, type TestLedger, testLedger } from '#libs/ledger/test-ledger.js';
import { SessionLock } from '#libs/postgres/session-lock.js';
import { Fault } from '#libs/refusal/fault.js';
import { createLogger } from '#libs/runtime/logger.js';
import { faultProxy } from '#libs/testing/fault-proxy.js';
import { gate as door } from '#libs/testing/gate.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import type { Scope } from './look-at-rows.js';
import type { ReconcileLedger } from './ports.js';
import { Reconcile } from './reconcile.js';

const test = suite('Reconcile');
const logger = createLogger('test', 'silent');
const everything: Scope = 'ALL';
let db: TestLedger;

test.before(async () => {
  db = await testLedger();
});
test.after(() => db.drop());

const lockAt = (url: string): SessionLock =>
  new SessionLock({ url, name: 'holdfast reconcile', applicationName: 'test', logger });

/** One process that looks, with some calls of the ledger in other hands. */
function process(lock: SessionLock, parts: Partial<ReconcileLedger> = {}): Reconcile {
  const ledger = { ...db.ledger, ...parts };
  const options = { shards: 1, ledgerNow: () => new Date(), count: () => undefined, logger, momentMs: 10 };
  return new Reconcile({ ledger, lock, ...options });
}

const asked = (scope: Scope = everything) => ({ scope, requestId: randomUUID(), madeBy: 'scheduler' });
const plansKept = async (): Promise<number> => (await db.sql('SELECT FROM ledger.reconcile_plans')).length;

test('K03: a look that lost its lock and slept while a newer one was made keeps nothing when it wakes up', async () => {
  const { skuId } = await db.sku();
  const server = new URL(db.url);
  const proxy = await faultProxy(server.hostname, Number(server.port));
  const [asleep, slept] = [door(), door()];
  const sleepers = process(lockAt(proxy.url(db.url)), {
    reconcileLook: async (...values) => {
      const look = await db.ledger.reconcileLook(...values);
      asleep.open();
      await slept.passed;
      return look;
    },
  });
  const sleeping = sleepers.plan(asked(), new AbortController().signal);
  sleeping.catch(() => undefined);
  await asleep.passed;
  proxy.cut();
  const other = process(lockAt(db.url));
  const newer = await until(() => other.plan(asked(), new AbortController().signal));
  assert.is(newer.state, 'CLEAN');
  const [kept, noted] = [await plansKept(), await db.sql('SELECT * FROM ledger.reconciled')];
  proxy.heal();
  slept.open();
  assert.is((await rejectionOf(sleeping, Fault)).reason, 'RECONCILE_UNDER_WAY');
  assert.is(await plansKept(), kept);
  assert.equal(await db.sql('SELECT * FROM ledger.reconciled'), noted);
  assert.ok(noted.length > 0 && skuId !== '');
  await proxy.close();
});

test('what the second look does not find again is not reported', async () => {
  const { skuId } = await db.sku();
  await db.order(claimOf('ann', skuId));
  const drift = `UPDATE ledger.stock SET held = held + $2, free = free - $2 WHERE sku_id = $1`;
  await db.sql(drift, [skuId, 1]);
  let looks = 0;
  const passing = process(lockAt(db.url), {
    reconcileLook: async (...values) => {
      const look = await db.ledger.reconcileLook(...values);
      if (look.found > 0 && ++looks === 1) await db.sql(drift, [skuId, -1]);
      return look;
    },
  });
  const made = await passing.plan(asked(), new AbortController().signal);
  assert.equal([looks, made.found, made.state], [1, 0, 'CLEAN']);
});

test('what is found is named once, however often it was seen, and the rest is counted', async () => {
  const { skuId } = await db.sku({ capacity: 2_000, perUserLimit: 9 });
  await db.sql(`INSERT INTO ledger.attendee_units SELECT $1, 'nobody-' || n, 1 FROM generate_series(1, 1200) AS n`, [
    skuId,
  ]);
  const made = await process(lockAt(db.url)).plan(asked(), new AbortController().signal);
  assert.equal([made.found, made.findings?.length], [1_200, 1_000]);
  const applied = { planId: made.planId, reason: 'all of them', operator: 'olga', requestId: randomUUID() };
  assert.is((await db.ledger.planApply(applied)).state, 'APPLIED');
  assert.equal(await db.violations(), []);
});

test.run();
