import pg from 'pg';
import { assert, suite } from '#libs/testing/suite.js';
import { claimsBatch } from './claims-batch.js';
import { functionCall } from './ledger-pool.js';
import { claimOf, type TestLedger, testLedger } from './test-ledger.js';

const test = suite('isolation');
let db: TestLedger;
let client: pg.Client;
const call = functionCall('claims_admit', 14);

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

test.run();
