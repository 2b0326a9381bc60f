import { randomUUID } from 'node:crypto';
import { Fault } from '#libs/refusal/fault.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import type { ControlledBy } from './sku-control.js';
import type { Imported } from './sku-imports.js';
import type { SkuToPut } from './sku-violations.js';
import { claimOf, lineOf, only, plainSku, type TestLedger, testLedger } from './test-ledger.js';

const test = suite('imports by operators');
let db: TestLedger;

test.before(async () => {
  db = await testLedger();
});
test.after.each(async () => assert.equal(await db.violations(), []));
test.after(() => db.drop());

const by = (): ControlledBy => ({ operator: 'olga', reason: 'the new timetable', requestId: randomUUID() });
const said = (imported: Imported[]): string[] =>
  imported.map((one) => (one instanceof Fault ? one.reason : one)).sort();
const known = async (parts: Partial<SkuToPut> = {}): Promise<SkuToPut> => {
  const sku = { ...plainSku(), ...parts };
  await db.ledger.skuPut(sku);
  return sku;
};

/** One of every kind that an import may meet. */
async function mixed(): Promise<SkuToPut[]> {
  const same = await known();
  const other = await known();
  const foreign = await known({ storeId: 'store-2' });
  const taken = await known({ perUserLimit: 5 });
  await db.order(claimOf('ann', [lineOf(taken.skuId, 'ann', 4)]));
  return [
    plainSku(),
    same,
    { ...other, title: 'Another title' },
    { ...foreign, storeId: 'store-1' },
    { ...taken, capacity: 3 },
    { ...plainSku(), capacity: -1, currency: 'euro' },
  ];
}

test('without update only new skus are made, and whatever else is not the same is named', async () => {
  const skus = await mixed();
  const rehearsed = await db.ledger.skusRehearse({ skus, update: false });
  const expected = ['CREATED', 'INVALID_REQUEST', 'SKU_EXISTS', 'SKU_EXISTS', 'SKU_EXISTS', 'UNCHANGED'];
  assert.equal(said(rehearsed), expected);
  assert.is((await rejectionOf(db.ledger.skuGet(skus[0]?.skuId ?? ''), Fault)).reason, 'SKU_NOT_FOUND');
  assert.equal(said(await db.ledger.skusImportOnce({ skus, update: false, ...by() })), expected);
  assert.is((await db.ledger.skuGet(skus[0]?.skuId ?? '')).sku.capacity, 10);
});

test('with update other terms are taken over; what is below its taken units is named with the figures', async () => {
  const skus = await mixed();
  const before = await db.ledger.skuGet(skus[2]?.skuId ?? '');
  const rehearsed = await db.ledger.skusRehearse({ skus, update: true });
  assert.is((await db.ledger.skuGet(skus[2]?.skuId ?? '')).sku.etag, before.sku.etag);
  const imported = await db.ledger.skusImportOnce({ skus, update: true, ...by() });
  assert.equal(said(imported), said(rehearsed));
  assert.equal(imported.slice(0, 3), ['CREATED', 'UNCHANGED', 'CHANGED']);
  const [foreign, taken, bad] = imported.slice(3) as Fault[];
  assert.is(foreign?.reason, 'SKU_EXISTS');
  assert.equal([taken?.reason, taken?.metadata.held, taken?.metadata.taken], ['CAPACITY_BELOW_TAKEN', '4', '4']);
  assert.equal(
    bad?.violations.map(({ field }) => field),
    ['capacity', 'currency'],
  );
  assert.is((await db.ledger.skuGet(skus[2]?.skuId ?? '')).sku.title, 'Another title');
});

test('an import is one change, and the same request again is told the same and does nothing', async () => {
  const [fresh, old] = [plainSku(), await known()];
  const request = { skus: [fresh, { ...old, title: 'Imported' }, { ...fresh, capacity: 11 }], update: true, ...by() };
  const first = await db.ledger.skusImportOnce(request);
  assert.equal(said(first), ['CHANGED', 'CREATED', 'INVALID_REQUEST']);
  const { etag, overbooked: _, ...read } = (await db.ledger.skuGet(old.skuId)).sku;
  await db.ledger.skuPut({ ...read, title: 'By hand' }, etag);
  const again = await Promise.all([1, 2].map(() => db.ledger.skusImportOnce(request)));
  for (const answer of again) assert.equal(said(answer), said(first));
  assert.is((await db.ledger.skuGet(old.skuId)).sku.title, 'By hand');
  const reused = rejectionOf(db.ledger.skusImportOnce({ ...request, update: false }), Fault);
  assert.is((await reused).reason, 'REQUEST_ID_REUSED');
  const kept = await db.sql<object>(
    `SELECT scope, scope_id, became, reason, changed_by FROM ledger.control_changes WHERE request_id = $1`,
    [request.requestId],
  );
  assert.equal(only(kept), {
    scope: 'STORE',
    scope_id: 'store-1',
    became: '1 created, 1 changed, 0 unchanged, 0 failed',
    reason: 'the new timetable',
    changed_by: 'olga',
  });
});

test('one import that arrives four times at one moment is carried out once', async () => {
  const request = { skus: Array.from({ length: 50 }, plainSku), update: false, ...by() };
  const answers = await Promise.all([1, 2, 3, 4].map(() => db.ledger.skusImportOnce(request)));
  for (const answer of answers) assert.equal(new Set(said(answer)), new Set(['CREATED']));
});

test('an import does not end a pause', async () => {
  const sku = await known();
  await db.ledger.skuPause({ ...sku, ...by(), paused: true });
  assert.equal(said(await db.ledger.skusImportOnce({ skus: [sku], update: true, ...by() })), ['UNCHANGED']);
  const changed = { ...sku, capacity: 12 };
  assert.equal(said(await db.ledger.skusImportOnce({ skus: [changed], update: true, ...by() })), ['CHANGED']);
  const { paused, capacity } = (await db.ledger.skuGet(sku.skuId)).sku;
  assert.equal({ paused, capacity }, { paused: true, capacity: 12 });
});

test('none, more than 500 and no reason are refused as a whole', async () => {
  const many = Array.from({ length: 501 }, plainSku);
  for (const skus of [[], many]) {
    const fault = await rejectionOf(db.ledger.skusImportOnce({ skus, update: true, ...by(), reason: '' }), Fault);
    assert.equal(
      fault.violations.map(({ field }) => field),
      ['skus', 'reason'],
    );
    assert.is((await rejectionOf(db.ledger.skusRehearse({ skus, update: true }), Fault)).reason, 'INVALID_REQUEST');
  }
  assert.is((await rejectionOf(db.ledger.skuGet(many[0]?.skuId ?? ''), Fault)).reason, 'SKU_NOT_FOUND');
});

test.run();
