import { Pool } from 'pg';
import { type TestLedger, testLedger } from '#libs/ledger/test-ledger.js';
import { assert, suite } from '#libs/testing/suite.js';
import { claimOf } from '../drivers/claims.js';
import { DueHolds } from '../drivers/due-holds.js';
import { LedgerWitness } from '../drivers/ledger-witness.js';
import { LineWatcher, soldOut } from '../drivers/waiting-line.js';
import { expireOneByOne } from './expire-one-by-one.js';
import { joinOneByOne } from './join-one-by-one.js';

const test = suite('rivals that take one at a time');
const storeId = 'bench';

let ledger: TestLedger;
let witness: LedgerWitness;
let pool: Pool;

test.before(async () => {
  ledger = await testLedger();
  witness = new LedgerWitness(ledger.url);
  pool = new Pool({ connectionString: ledger.url, max: 8 });
});

test.after(async () => {
  await Promise.all([pool.end(), witness.close()]);
  await ledger.drop();
});

test('a hold that ended leaves the rows that the ledger writes, once, also when several processes end it', async () => {
  const holds = await DueHolds.open(ledger.url, 'due-');
  await holds.fill({ storeId, skus: 2, holds: 40, endAt: new Date() });
  const expired = await Promise.all([expireOneByOne(pool, 4), expireOneByOne(pool, 4)]);
  assert.is(expired[0] + expired[1], 40);
  assert.equal(await holds.violations(40), []);
  assert.equal(await witness.audited(), []);
  await holds.close();
});

test('all who join at once get a place of their own, and nobody while a unit is free', async () => {
  const watcher = await LineWatcher.open(ledger.url);
  const claim = (skuId: string) => (n: number) => claimOf({ storeId, skuIds: [skuId], tag: skuId }, n);
  await witness.putSkus(storeId, ['free'], 1);
  assert.is(await joinOneByOne(pool, claim('free')(0)), false);
  await soldOut(witness, 'line', 1);
  const joined = await Promise.all(Array.from({ length: 30 }, (_, n) => joinOneByOne(pool, claim('line')(n))));
  assert.is(joined.every(Boolean), true);
  assert.equal(await watcher.violations('line', 30), []);
  assert.equal(await witness.audited(), []);
  await watcher.close();
});

test.run();
