import pg from 'pg';
import { Fault } from '#libs/refusal/fault.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import type { LimitsChange } from './limit-violations.js';
import type { LimitsSet, SkuLimits } from './limits.js';
import { only, plainSku, plainWaitlist, type TestLedger, testLedger } from './test-ledger.js';

const test = suite('limits');
let db: TestLedger;
let stores = 0;

test.before(async () => {
  db = await testLedger();
});
test.after.each(async () => assert.equal(await db.violations(), []));
test.after(() => db.drop());

/** A store that has set nothing. */
function newStore(): string {
  stores += 1;
  return `limited-${stores}`;
}

/** A sku of a store without limits of its own; its id. */
async function newSku(storeId: string): Promise<string> {
  const { rateLimit: _, ...sku } = plainSku();
  return (await db.ledger.skuPut({ ...sku, storeId })).sku.skuId;
}

function set(storeId: string, skuId: string, some: Partial<LimitsChange> = {}): Promise<LimitsSet> {
  return db.ledger.limitsSet({ storeId, skuId, clearRateLimit: false, ...some });
}

async function read(storeId: string, skuId: string): Promise<SkuLimits> {
  return only(await db.ledger.limitsRead([{ storeId, skuId }]));
}

const rate = (perSecond: number, burst = perSecond) => ({ rateLimit: { perSecond, burst } });

test("the sku's own limit holds, else its store's, else nobody has set one", async () => {
  const storeId = newStore();
  const skuId = await newSku(storeId);
  const of = { storeId, skuId, onBusy: 'QUEUE', requireIssuedRequestId: false } as const;
  assert.equal(await read(storeId, skuId), { ...of, source: 'CONFIGURED' });
  await set(storeId, '', rate(7, 70));
  assert.equal(await read(storeId, skuId), { ...of, ...rate(7, 70), source: 'STORE' });
  await set(storeId, skuId, rate(3, 1));
  assert.equal(await read(storeId, skuId), { ...of, ...rate(3, 1), source: 'SKU' });
  await set(storeId, skuId, { clearRateLimit: true });
  assert.equal(await read(storeId, skuId), { ...of, ...rate(7, 70), source: 'STORE' });
  await set(storeId, '', { clearRateLimit: true });
  assert.equal(await read(storeId, skuId), { ...of, source: 'CONFIGURED' });
});

test('an unknown sku, and one of another store, has what the store sets', async () => {
  const [storeId, other] = [newStore(), newStore()];
  const skuId = await newSku(other);
  await set(other, skuId, { ...rate(1), onBusy: 'FAIL' });
  await set(storeId, '', { ...rate(9), requireIssuedRequestId: true });
  const keys = [
    { storeId, skuId: 'nothing' },
    { storeId, skuId },
    { storeId: other, skuId },
  ];
  const limits = await db.ledger.limitsRead(keys);
  assert.equal(
    limits.map(({ rateLimit, source, onBusy, requireIssuedRequestId }) => [
      rateLimit?.perSecond,
      source,
      onBusy,
      requireIssuedRequestId,
    ]),
    [
      [9, 'STORE', 'QUEUE', true],
      [9, 'STORE', 'QUEUE', true],
      [1, 'SKU', 'FAIL', false],
    ],
  );
  assert.equal(
    limits.map(({ storeId, skuId }) => ({ storeId, skuId })),
    keys,
  );
});

test('what is absent from a change stays, and the same again changes nothing', async () => {
  const storeId = newStore();
  const skuId = await newSku(storeId);
  await set(storeId, skuId, rate(5));
  const changed = await set(storeId, skuId, { onBusy: 'FAIL' });
  const sku = { storeId, skuId, ...rate(5), source: 'SKU', onBusy: 'FAIL', requireIssuedRequestId: false } as const;
  assert.equal(changed, { changed: true, sku });
  assert.equal(await set(storeId, skuId, { ...rate(5), onBusy: 'FAIL' }), { changed: false, sku });

  await set(storeId, '', rate(2));
  const store = { storeId, ...rate(2), requireIssuedRequestId: true, groups: [] };
  assert.equal(await set(storeId, '', { requireIssuedRequestId: true }), { changed: true, store });
  assert.equal(await set(storeId, '', {}), { changed: false, store });
});

test("a sku's etag rises with each change of its limits, and only then", async () => {
  const storeId = newStore();
  const skuId = await newSku(storeId);
  const etag = async (): Promise<string> => (await db.ledger.skuGet(skuId)).sku.etag;
  await set(storeId, skuId, rate(5));
  assert.is(await etag(), '2');
  await set(storeId, skuId, rate(5));
  await set(storeId, '', rate(6));
  assert.is(await etag(), '2');
  const { sku } = await db.ledger.skuGet(skuId);
  const { overbooked: _, etag: __, ...terms } = sku;
  const fault = await rejectionOf(db.ledger.skuPut({ ...terms, title: 'other' }, '1'), Fault);
  assert.is(fault.reason, 'ETAG_MISMATCH');
});

test('a sku is put with limits of its own and without, and is read and listed as it was put', async () => {
  const storeId = newStore();
  const { rateLimit, ...sku } = { ...plainSku(), storeId, onBusy: 'FAIL' };
  const without = await db.ledger.skuPut(sku);
  assert.equal(without.sku, { ...sku, ...plainWaitlist, overbooked: 0, etag: '1' });
  const own = await db.ledger.skuPut({ ...sku, ...(rateLimit && { rateLimit }) }, '1');
  assert.equal(own.sku.rateLimit, rateLimit);
  const again = await db.ledger.skuPut({ ...sku, onBusy: 'QUEUE' }, '2');
  assert.equal([again.outcome, again.sku.rateLimit, again.sku.onBusy], ['CHANGED', undefined, 'QUEUE']);
  assert.equal((await db.ledger.skusList(storeId, {})).skus, [{ sku: again.sku, stock: again.stock }]);
});

test('limits wait for whoever is putting the sku, and both changes hold', async () => {
  const storeId = newStore();
  const skuId = await newSku(storeId);
  const putting = new pg.Client({ connectionString: db.url });
  await putting.connect();
  await putting.query('BEGIN');
  await putting.query('SELECT FROM ledger.stock WHERE sku_id = $1 FOR NO KEY UPDATE', [skuId]);
  const setting = set(storeId, skuId, rate(5));
  await until(
    async () =>
      (await db.sql(`SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`))
        .length > 0,
  );
  await putting.query(`UPDATE ledger.skus SET title = 'new', version = version + 1 WHERE sku_id = $1`, [skuId]);
  await putting.query('COMMIT');
  await putting.end();
  assert.ok((await setting).changed);
  const { sku } = await db.ledger.skuGet(skuId);
  assert.equal([sku.title, sku.rateLimit, sku.etag], ['new', rate(5).rateLimit, '3']);
});

test("a store's limits come with its skus in pages, in the order of their ids", async () => {
  const storeId = newStore();
  for (const skuId of ['c', 'a', 'b']) await db.ledger.skuPut({ ...plainSku(), storeId, skuId: `${storeId}-${skuId}` });
  await set(storeId, '', rate(4));
  const first = await db.ledger.limitsList(storeId, { pageSize: 2 });
  const second = await db.ledger.limitsList(storeId, { pageSize: 2, pageToken: first.nextPageToken });
  assert.equal(
    [...first.skus, ...second.skus].map(({ skuId, source }) => [skuId, source]),
    ['a', 'b', 'c'].map((skuId) => [`${storeId}-${skuId}`, 'SKU']),
  );
  assert.is(second.nextPageToken, '');
  assert.equal(
    [first.store, second.store],
    Array(2).fill({ storeId, ...rate(4), requireIssuedRequestId: false, groups: [] }),
  );
  const nobody = newStore();
  const nothing = {
    store: { storeId: nobody, requireIssuedRequestId: false, groups: [] },
    skus: [],
    nextPageToken: '',
  };
  assert.equal(await db.ledger.limitsList(nobody, {}), nothing);
});

test('limits of an unknown sku, and of one of another store, are not set', async () => {
  const [storeId, other] = [newStore(), newStore()];
  const skuId = await newSku(other);
  for (const unknown of ['nothing', skuId]) {
    const fault = await rejectionOf(set(storeId, unknown, rate(1)), Fault);
    assert.equal([fault.reason, fault.metadata], ['SKU_NOT_FOUND', { sku_id: unknown }]);
  }
  assert.is((await read(other, skuId)).source, 'CONFIGURED');
});

test('everything that is wrong with a change of limits is said at once', async () => {
  const fields = async (change: Promise<unknown>): Promise<string[]> =>
    (await rejectionOf(change, Fault)).violations.map(({ field }) => field).sort();
  const ofSku = set('a store', 'a sku', {
    rateLimit: { perSecond: 0, burst: 1_000_001 },
    clearRateLimit: true,
    onBusy: 'WAIT',
    requireIssuedRequestId: true,
  });
  assert.equal(await fields(ofSku), [
    'clear_rate_limit',
    'on_busy',
    'rate_limit.burst',
    'rate_limit.per_second',
    'require_issued_request_id',
    'sku_id',
    'store_id',
  ]);
  assert.equal(await fields(set(newStore(), '', { onBusy: 'FAIL', ...rate(1.5) })), [
    'on_busy',
    'rate_limit.burst',
    'rate_limit.per_second',
  ]);
  const key = { storeId: 's', skuId: 'a' };
  assert.equal(await fields(db.ledger.limitsRead([key, { storeId: '', skuId: 'a b' }])), [
    'keys[1].sku_id',
    'keys[1].store_id',
  ]);
  for (const length of [0, 1_001]) assert.equal(await fields(db.ledger.limitsRead(Array(length).fill(key))), ['keys']);
  assert.is((await db.ledger.limitsRead(Array(1_000).fill(key))).length, 1_000);
});

test('the database itself takes no rate without a burst and no unknown word', async () => {
  const storeId = newStore();
  const skuId = await newSku(storeId);
  for (const wrong of ['rate_per_second = 1', 'rate_burst = 1', `on_busy = 'WAIT'`])
    await rejectionOf(db.sql(`UPDATE ledger.skus SET ${wrong} WHERE sku_id = $1`, [skuId]), Error);
  await rejectionOf(db.sql(`INSERT INTO ledger.store_limits VALUES ($1, 1, NULL, false, 1, now())`, [storeId]), Error);
});

test.run();
