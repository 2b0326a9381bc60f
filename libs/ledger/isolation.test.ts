import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { sqlState } from '#libs/postgres/errors.js';
import { Fault } from '#libs/refusal/fault.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { claimsBatch } from './claims-batch.js';
import { functionCall } from './ledger-pool.js';
import { claimOf, lineOf, type TestLedger, testLedger } from './test-ledger.js';

const test = suite('isolation');
let db: TestLedger;
let client: pg.Client;
const call = functionCall('claims_admit', 16);

test.before(async () => {
  db = await testLedger();
  client = new pg.Client({ connectionString: db.url });
  await client.connect();
});
test.after(async () => {
  await client.end();
  await db.drop();
});

async function freeAsSeen(skuId: string): Promise<number> {
  const { rows } = await client.query('SELECT free FROM ledger.stock WHERE sku_id = $1', [skuId]);
  return rows[0]?.free;
}

test('why READ COMMITTED: an older snapshot still sees the unit that is gone', async () => {
  const { skuId } = await db.sku({ capacity: 1 });
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
  assert.is(await freeAsSeen(skuId), 1);
  await db.order(claimOf('ann', skuId));
  assert.is(await freeAsSeen(skuId), 1);
  await client.query('COMMIT');
  await client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
  assert.is(await freeAsSeen(skuId), 0);
  await client.query('COMMIT');
});

for (const level of ['REPEATABLE READ', 'SERIALIZABLE']) {
  test(`admission refuses to work under ${level}`, async () => {
    const { skuId } = await db.sku();
    await client.query(`BEGIN ISOLATION LEVEL ${level}`);
    const refused = await client
      .query(call.text, claimsBatch([claimOf('ann', skuId)]).values)
      .catch((error) => error.code);
    await client.query('ROLLBACK');
    assert.is(refused, '25000');
    assert.is((await db.stock(skuId)).free, 10);
  });
}

test('admission decides by what the last one before it left, also when it waited for the lock', async () => {
  const { skuId } = await db.sku({ capacity: 1 });
  await client.query('BEGIN');
  await client.query(call.text, claimsBatch([claimOf('ann', skuId)]).values);
  const waiting = db.admit(claimOf('bob', skuId));
  await client.query('COMMIT');
  assert.is((await waiting).kind, 'REFUSED');
  assert.equal(await db.violations(), []);
});

/** Resolves when somebody waits for a lock of the database's. */
const somebodyWaits = (): Promise<object> =>
  until(async () => {
    const rows = await db.sql(`
      SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`);
    return rows[0];
  });

test('a sku that is born while admission waits for another one is not sold without its lock', async () => {
  const [waited, born] = [`a-${randomUUID()}`, `b-${randomUUID()}`];
  await db.sku({ skuId: waited });
  await client.query('BEGIN');
  await client.query('SELECT FROM ledger.stock WHERE sku_id = $1 FOR UPDATE', [waited]);
  const { values } = claimsBatch([claimOf('ann', [lineOf(waited, 'ann'), lineOf(born, 'ann')])]);
  const admitting = rejectionOf(db.runtime.query(call, values), Fault);
  await somebodyWaits();
  await db.sku({ skuId: born });
  await client.query('COMMIT');
  assert.is(sqlState(await admitting), '40001');
  assert.is((await db.stock(born)).free, 10);
});

test('a claim that is buried while it is being admitted is answered with its order', async () => {
  const { skuId } = await db.sku();
  const claim = claimOf('ann', skuId);
  await client.query('BEGIN');
  await client.query(call.text, claimsBatch([claim]).values);
  const burying = db.ledger.claimBury({ claim, subject: 's', payload: Buffer.from('x'), error: 'broken' });
  await somebodyWaits();
  await client.query('COMMIT');
  assert.is((await burying).kind, 'ORDER');
  assert.equal(await db.sql('SELECT FROM ledger.dead_letters'), []);
});

test('an id that is being admitted for another sku waits, and is then another request', async () => {
  const [one, two] = [await db.sku(), await db.sku()];
  const claim = claimOf('ann', one.skuId);
  await client.query('BEGIN');
  await client.query(call.text, claimsBatch([claim]).values);
  const admitting = db.admit({ ...claim, lines: [lineOf(two.skuId, 'ann')] });
  await somebodyWaits();
  await client.query('COMMIT');
  const decision = await admitting;
  assert.is(decision.kind === 'FAULT' && decision.reason, 'REQUEST_ID_REUSED');
  assert.is((await db.stock(two.skuId)).free, 10);
});

test.run();
