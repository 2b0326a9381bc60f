import { Redis } from 'ioredis';
import { Pool } from 'pg';
import type { Claim } from '#libs/contracts/gen/holdfast/event/v1/claim.js';
import { type TestLedger, testLedger } from '#libs/ledger/test-ledger.js';
import type { PrivateServer } from '#libs/servers/private-server.js';
import { privateRedis } from '#libs/testing/private-servers.js';
import { assert, suite } from '#libs/testing/suite.js';
import { claimOf } from '../drivers/claims.js';
import { LedgerWitness } from '../drivers/ledger-witness.js';
import { sellByVersion, sellForUpdate, sellUnderLock } from './hot-sku-rivals.js';
import { insertOrder } from './order-transaction.js';
import { createUnits, putUnits, sellUnitRow } from './sell-unit-rows.js';
import { dropStockChecks, sellUnlocked } from './sell-unlocked.js';

const test = suite('rivals for a hot sku');
const storeId = 'bench';

let ledger: TestLedger;
let witness: LedgerWitness;
let pool: Pool;
let server: PrivateServer;
let redis: Redis;

test.before(async () => {
  [ledger, server] = await Promise.all([testLedger(), privateRedis()]);
  witness = new LedgerWitness(ledger.url);
  pool = new Pool({ connectionString: ledger.url, max: 10 });
  redis = new Redis(server.url);
});

test.after(async () => {
  redis.disconnect();
  await Promise.all([pool.end(), witness.close(), server.stop()]);
  await ledger.drop();
});

const ways: Record<string, (claim: Claim) => Promise<boolean>> = {
  'a conditional update': async (claim) => {
    await insertOrder(pool, claim);
    return true;
  },
  'a locked row': (claim) => sellForUpdate(pool, claim),
  'a version': (claim) => sellByVersion(pool, claim),
  'a lock in Redis': (claim) => sellUnderLock(redis, pool, claim),
};

for (const [words, sell] of Object.entries(ways)) {
  const skuId = words.replaceAll(' ', '-');
  const claim = (n: number): Claim => claimOf({ storeId, skuIds: [skuId], tag: skuId }, n);

  test(`${words} sells what there is, with the rows that the ledger writes, and no more`, async () => {
    await witness.putSkus(storeId, [skuId], 2);
    assert.equal([await sell(claim(0)), await sell(claim(1))], [true, true]);
    const late = await sell(claim(2)).catch((error: Error) => error.message);
    assert.match(String(late), 'fewer than 1 units');
    assert.equal(await witness.violations([skuId], 2), []);
  });

  test(`${words} leaves a row for each who was told yes and for nobody else, when all come at once`, async () => {
    await witness.putSkus(storeId, [`${skuId}-rush`], 20);
    const rush = (n: number): Claim => claimOf({ storeId, skuIds: [`${skuId}-rush`], tag: `${skuId}-rush` }, n);
    const told = await Promise.all(Array.from({ length: 40 }, (_, n) => sell(rush(n)).catch(() => false)));
    const held = told.filter(Boolean).length;
    assert.ok(held >= 1 && held <= 20);
    assert.equal(await witness.violations([`${skuId}-rush`], held), []);
  });
}

test('a row a unit sells each row once, and says no when all are taken or about to be', async () => {
  await witness.putSkus(storeId, ['rows'], 20);
  await createUnits(pool);
  await putUnits(pool, 'rows', 20);
  const claim = (n: number): Claim => claimOf({ storeId, skuIds: ['rows'], tag: 'rows' }, n);
  const told = await Promise.all(Array.from({ length: 40 }, (_, n) => sellUnitRow(pool, claim(n)).catch(() => false)));
  const held = told.filter(Boolean).length;
  assert.ok(held >= 1 && held <= 20);
  assert.is(await witness.ordersOf('rows'), held);
  const [taken] = await ledger.sql(
    'SELECT count(DISTINCT order_id)::int AS orders FROM units WHERE order_id IS NOT NULL',
  );
  assert.equal(taken, { orders: held });
});

test('a lock is given back, by those who got nothing too', async () => {
  await witness.putSkus(storeId, ['none'], 0);
  const none = claimOf({ storeId, skuIds: ['none'], tag: 'none' }, 0);
  await sellUnderLock(redis, pool, none).catch(() => false);
  assert.is(await redis.exists('lock:{none}'), 0);
});

test('select, then update sells units twice, once nothing in the ledger stands in its way', async () => {
  await witness.putSkus(storeId, ['twice'], 20);
  const claim = (n: number): Claim => claimOf({ storeId, skuIds: ['twice'], tag: 'twice' }, n);
  const rush = () =>
    Promise.all(Array.from({ length: 100 }, (_, n) => sellUnlocked(pool, claim(n)).catch(() => false)));
  await rush();
  assert.ok((await witness.ordersOf('twice')) <= 20);
  await dropStockChecks(pool);
  await rush();
  assert.ok((await witness.ordersOf('twice')) > 20);
  assert.ok((await witness.audited()).length > 0);
});

test.run();
