import { Fault } from '#libs/refusal/fault.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import type { Sku } from './rows.js';
import { type SkuToPut, skuViolations } from './sku-violations.js';
import { claimOf, lineOf, plainSku, plainWaitlist, type TestLedger, testLedger } from './test-ledger.js';

const test = suite('skus');
let db: TestLedger;

test.before(async () => {
  db = await testLedger();
});
test.after.each(async () => assert.equal(await db.violations(), []));
test.after(() => db.drop());

function toPut({ overbooked: _, etag: _etag, ...sku }: Sku): SkuToPut {
  return sku;
}

const fullSku = (): SkuToPut => ({
  ...plainSku(),
  title: 'Yoga am Morgen 🧘',
  startsAt: new Date('2050-03-01T07:30:00.123Z'),
  timeZone: 'Europe/Berlin',
  onSaleAt: new Date('2050-01-01T00:00:00Z'),
  offSaleAt: new Date('2050-02-28T23:00:00Z'),
});

test('a sku is read as it was put', async () => {
  const sku = fullSku();
  const put = await db.ledger.skuPut(sku);
  assert.is(put.outcome, 'CREATED');
  assert.equal(put.sku, { ...sku, ...plainWaitlist, overbooked: 0, etag: '1' });
  const { now, ...read } = await db.ledger.skuGet(sku.skuId);
  assert.instance(now, Date);
  assert.equal(read, { sku: put.sku, stock: put.stock });
  assert.is((await rejectionOf(db.ledger.skuGet('nothing'), Fault)).reason, 'SKU_NOT_FOUND');
});

test('the same again without an etag changes nothing; anything else needs the etag that was read', async () => {
  const first = await db.ledger.skuPut(fullSku());
  const sku = toPut(first.sku);
  assert.equal(await db.ledger.skuPut(sku), { ...first, outcome: 'UNCHANGED' });
  const changed = await db.ledger.skuPut({ ...sku, title: 'Yoga' }, '1');
  assert.equal([changed.outcome, changed.sku.etag, changed.stock.version], ['CHANGED', '2', 2]);
  for (const [title, etag] of [
    ['Tango', undefined],
    ['Tango', '1'],
    ['Yoga', '1'],
    ['Tango', '3'],
  ] as const) {
    const fault = await rejectionOf(db.ledger.skuPut({ ...sku, title }, etag), Fault);
    assert.equal([fault.reason, fault.metadata.etag], ['ETAG_MISMATCH', '2']);
  }
  assert.is((await db.ledger.skuPut({ ...sku, title: 'Yoga' }, '2')).outcome, 'UNCHANGED');
});

test("an etag of nothing finds no sku, and another store's sku is not touched", async () => {
  const sku = plainSku();
  assert.is((await rejectionOf(db.ledger.skuPut(sku, '1'), Fault)).reason, 'SKU_NOT_FOUND');
  await db.ledger.skuPut(sku);
  const fault = await rejectionOf(db.ledger.skuPut({ ...sku, storeId: 'store-2', capacity: 99 }, '1'), Fault);
  assert.is(fault.reason, 'PERMISSION_DENIED');
  assert.is((await db.stock(sku.skuId)).storeId, 'store-1');
});

test('A02: capacity goes down to what is taken and not below', async () => {
  const sku = await db.sku({ perUserLimit: 4 });
  await db.order(claimOf('ann', [lineOf(sku.skuId, 'ann', 4)]));
  const fault = await rejectionOf(db.ledger.skuPut({ ...toPut(sku), capacity: 3 }, sku.etag), Fault);
  assert.is(fault.reason, 'CAPACITY_BELOW_TAKEN');
  const figures = { capacity: '10', free: '6', reserved: '0', held: '4', sold: '0', taken: '4' };
  assert.equal(fault.metadata, { sku_id: sku.skuId, ...figures });
  const { stock } = await db.ledger.skuPut({ ...toPut(sku), capacity: 4 }, sku.etag);
  assert.equal([stock.capacity, stock.free, stock.held], [4, 0, 4]);
});

test('two who create one sku at one moment make one', async () => {
  const sku = plainSku();
  const puts = await Promise.all([1, 2, 3, 4].map(() => db.ledger.skuPut(sku)));
  assert.equal(puts.map((put) => put.outcome).sort(), ['CREATED', 'UNCHANGED', 'UNCHANGED', 'UNCHANGED']);
});

test('changed terms count for whoever comes after', async () => {
  const sku = await db.sku();
  await db.ledger.skuPut({ ...toPut(sku), paused: true }, sku.etag);
  const decision = await db.admit(claimOf('ann', sku.skuId));
  assert.is(decision.kind === 'REFUSED' && decision.refusal.reason, 'PAUSED');
});

test('everything that is wrong with a sku is said at once', async () => {
  const bad = {
    ...fullSku(),
    skuId: 'two words',
    storeId: '',
    title: 'a\nb',
    capacity: -1,
    perUserLimit: 0,
    maxPerOrder: 1.5,
    holdTtlSeconds: 2_678_401,
    priceMinor: Number.NaN,
    currency: 'euro',
    rateLimit: { perSecond: 0, burst: 2 ** 31 },
    onBusy: 'WAIT',
    timeZone: 'Europe/Nowhere',
    onSaleAt: new Date('2051-01-01T00:00:00Z'),
    offSaleAt: new Date(Number.NaN),
  };
  const fault = await rejectionOf(db.ledger.skuPut(bad, 'x'), Fault);
  assert.equal(
    new Set(fault.violations.map((violation) => violation.field)),
    new Set([
      'sku_id',
      'store_id',
      'title',
      'capacity',
      'per_user_limit',
      'max_per_order',
      'hold_ttl_seconds',
      'price_minor',
      'currency',
      'rate_limit.per_second',
      'rate_limit.burst',
      'on_busy',
      'time_zone',
      'off_sale_at',
      'on_sale_at',
      'etag',
    ]),
  );
  assert.is(skuViolations({ ...plainSku(), priceMinor: 90_000_000_001, maxPerOrder: 1_000 }).length, 1);
  assert.is(skuViolations({ ...plainSku(), startsAt: new Date() }).length, 1);
});

test('of an import every good sku is put, in any order, and the rest is named', async () => {
  const known = await db.sku();
  const skus = Array.from({ length: 50 }, () => ({ sku: plainSku() })).sort(() => 0.5 - Math.random());
  const results = await db.ledger.skusImport([
    ...skus,
    { sku: { ...plainSku(), capacity: -1 } },
    { sku: toPut(known) },
    { sku: { ...toPut(known), title: 'new' }, etag: known.etag },
    { sku: { ...toPut(known), title: 'newer' }, etag: '77' },
  ]);
  const said = results.map((result) => (result instanceof Fault ? result.reason : result.outcome));
  assert.equal(said.slice(0, 50), Array(50).fill('CREATED'));
  assert.equal(said.slice(50), ['INVALID_REQUEST', 'UNCHANGED', 'CHANGED', 'ETAG_MISMATCH']);
  const first = results[0];
  assert.is(first instanceof Fault ? undefined : first?.sku.skuId, skus[0]?.sku.skuId);
  assert.equal(await db.ledger.skusImport([]), []);
});

test('two imports of the same skus in opposite order both end', async () => {
  const skus = Array.from({ length: 100 }, () => ({ sku: plainSku() }));
  await Promise.all([db.ledger.skusImport(skus), db.ledger.skusImport(skus.toReversed())]);
  const again = await db.ledger.skusImport(skus);
  assert.ok(again.every((result) => !(result instanceof Fault) && result.outcome === 'UNCHANGED'));
});

test("a store's skus come in pages, in the order of their ids", async () => {
  const storeId = 'store-of-pages';
  const skuIds = ['A', 'Z', 'a', 'a-', 'b'];
  for (const skuId of skuIds.toReversed()) await db.sku({ skuId, storeId });
  const seen: string[] = [];
  let pageToken = '';
  do {
    const page = await db.ledger.skusList(storeId, { pageSize: 2, pageToken });
    seen.push(...page.skus.map(({ sku }) => sku.skuId));
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
  assert.equal(seen, skuIds);
  assert.equal(await db.ledger.skusList('nobody', {}), { skus: [], nextPageToken: '' });
});

test('the skus of a time come in the order of their starts, in pages whose tokens are of that time only', async () => {
  const storeId = 'store-of-times';
  const at = (hour: number): Date => new Date(Date.UTC(2031, 0, 1, hour));
  const slot = { storeId, timeZone: 'Europe/Vienna' };
  for (const [skuId, hour] of [
    ['t9', 8],
    ['t1', 9],
    ['t0', 9],
    ['t5', 10],
    ['t4', 11],
  ] as const) {
    await db.sku({ ...slot, skuId, startsAt: at(hour) });
  }
  await db.sku({ storeId, skuId: 't-product' });
  const day = { startsAfter: at(8), startsBefore: at(11) };
  const seen: string[] = [];
  let pageToken = '';
  do {
    const page = await db.ledger.skusList(storeId, { pageSize: 2, pageToken, ...day });
    seen.push(...page.skus.map(({ sku }) => sku.skuId));
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
  assert.equal(seen, ['t9', 't0', 't1', 't5']);
  const idsOf = async (time: object) => (await db.ledger.skusList(storeId, time)).skus.map(({ sku }) => sku.skuId);
  assert.equal(await idsOf({ startsAfter: at(10) }), ['t5', 't4']);
  assert.equal(await idsOf({ startsBefore: at(9) }), ['t9']);
  assert.equal(await idsOf({ startsAfter: at(11), startsBefore: at(8) }), []);
  const { nextPageToken } = await db.ledger.skusList(storeId, { pageSize: 1, ...day });
  for (const other of [{}, { ...day, startsBefore: at(12) }, { startsBefore: at(11) }]) {
    const fault = await rejectionOf(db.ledger.skusList(storeId, { pageToken: nextPageToken, ...other }), Fault);
    assert.equal(
      fault.violations.map(({ field }) => field),
      ['page_token'],
    );
  }
});

test('sales that open soon are found, and the next one beyond', async () => {
  const at = (seconds: number): Date => new Date(Date.now() + seconds * 1_000);
  const [soon, later] = [await db.sku({ onSaleAt: at(30) }), await db.sku({ onSaleAt: at(300) })];
  await db.sku({ onSaleAt: at(-30) });
  assert.equal(await db.ledger.skusOpening(60), { skuIds: [soon.skuId], nextOpeningAt: later.onSaleAt });
  assert.equal((await db.ledger.skusOpening(600)).skuIds, [soon.skuId, later.skuId]);
});

test('stock is read with the clock, and unknown skus are left out', async () => {
  const { skuId } = await db.sku();
  const { now, skus } = await db.ledger.stockRead([skuId, 'nothing']);
  assert.ok(Math.abs(now.getTime() - Date.now()) < 60_000);
  assert.equal(
    skus.map((sku) => sku.skuId),
    [skuId],
  );
});

test('a slot that is moved to another time keeps its id, its orders and its holds with what is left of them', async () => {
  const hour = 3_600_000;
  const at = (hours: number): Date => new Date(Date.now() + hours * hour);
  const slot = { startsAt: at(2), timeZone: 'Europe/Vienna' };
  const { overbooked: _, etag, ...read } = await db.sku(slot);
  const [held, paid] = [await db.order(claimOf('ann', read.skuId)), await db.order(claimOf('ben', read.skuId))];
  const pay = ({ orderId, amountMinor, currency }: typeof held) =>
    db.ledger.paymentConfirm({ orderId, provider: 'bank', providerPaymentId: orderId, amountMinor, currency });
  await pay(paid);
  const moved = await db.ledger.skuPut({ ...read, startsAt: at(5) }, etag);
  assert.equal([moved.outcome, moved.sku.skuId], ['CHANGED', read.skuId]);
  assert.equal(await db.ledger.orderGet(held.orderId), held);
  assert.is((await db.ledger.orderGet(paid.orderId)).state, 'CONFIRMED');
  // Into the past: nobody begins an order of it, and who holds may still pay.
  await db.ledger.skuPut({ ...read, startsAt: at(-1) }, moved.sku.etag);
  const late = await db.admit(claimOf('cleo', read.skuId));
  assert.equal(late.kind === 'REFUSED' && [late.refusal.reason, late.refusal.slotPast], ['NOT_ON_SALE', true]);
  assert.is((await pay(held)).order?.state, 'CONFIRMED');
  const { free, sold } = await db.stock(read.skuId);
  assert.equal([free, sold], [8, 2]);
});

test.run();
