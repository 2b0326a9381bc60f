import { randomUUID } from 'node:crypto';
import { Fault } from '#libs/refusal/fault.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import type { ControlledBy } from './sku-control.js';
import { claimOf, lineOf, refusalOf, type TestLedger, testLedger } from './test-ledger.js';

const test = suite('operators and skus');
let db: TestLedger;

test.before(async () => {
  db = await testLedger();
});
test.after.each(async () => assert.equal(await db.violations(), []));
test.after(() => db.drop());

const by = (parts: Partial<ControlledBy> = {}): ControlledBy => ({
  operator: 'olga',
  reason: 'the room is flooded',
  requestId: randomUUID(),
  ...parts,
});

/** What is written of a sku, oldest first. */
async function changesOf(skuId: string): Promise<string[]> {
  const rows = await db.sql<{ what: string; was: string; became: string; reason: string; changed_by: string }>(
    'SELECT * FROM ledger.control_changes WHERE scope_id = $1 ORDER BY id',
    [skuId],
  );
  return rows.map((row) => `${row.changed_by}: ${row.what} ${row.was} -> ${row.became}, ${row.reason}`);
}

test('nobody is given a unit of a paused sku, holders keep theirs, and it is sold again when it is resumed', async () => {
  const sku = await db.sku();
  const held = await db.order(claimOf('ann', sku.skuId));
  const paused = await db.ledger.skuPause({ ...sku, ...by(), paused: true });
  assert.equal([paused.changed, paused.sku.paused, paused.sku.etag], [true, true, '2']);
  assert.is(paused.stock.version, 3);
  assert.is(refusalOf(await db.admit(claimOf('bob', sku.skuId))).reason, 'PAUSED');
  const { orderId, amountMinor, currency } = held;
  const paid = { orderId, provider: 'bank', providerPaymentId: orderId, amountMinor, currency };
  assert.is((await db.ledger.paymentConfirm(paid)).order?.state, 'CONFIRMED');
  const resumed = await db.ledger.skuPause({ ...sku, ...by({ reason: 'it is dry again' }), paused: false });
  assert.equal([resumed.sku.paused, resumed.sku.etag], [false, '3']);
  await db.order(claimOf('bob', sku.skuId));
  assert.equal(await changesOf(sku.skuId), [
    'olga: PAUSE on sale -> paused, the room is flooded',
    'olga: RESUME paused -> on sale, it is dry again',
  ]);
});

test('a pause that is asked for again, by a lost reply, stops nothing that was resumed meanwhile', async () => {
  const sku = await db.sku();
  const first = by();
  for (const expected of [true, false]) {
    assert.is((await db.ledger.skuPause({ ...sku, ...first, paused: true })).changed, expected);
  }
  await db.ledger.skuPause({ ...sku, ...by(), paused: false });
  const again = await db.ledger.skuPause({ ...sku, ...first, paused: true });
  assert.equal([again.changed, again.sku.paused], [false, false]);
  const other = await db.sku();
  for (const reuse of [
    { ...other, ...first },
    { ...sku, ...first, reason: 'another' },
    { ...sku, ...first, operator: 'otto' },
  ]) {
    const fault = await rejectionOf(db.ledger.skuPause({ ...reuse, paused: true }), Fault);
    assert.is(fault.reason, 'REQUEST_ID_REUSED');
  }
  assert.is((await changesOf(sku.skuId)).length, 2);
  assert.equal(await changesOf(other.skuId), []);
});

test('who pauses what is paused is written down too', async () => {
  const sku = await db.sku({ paused: true });
  const { changed, sku: same } = await db.ledger.skuPause({ ...sku, ...by(), paused: true });
  assert.equal([changed, same.etag], [false, '1']);
  assert.equal(await changesOf(sku.skuId), ['olga: PAUSE paused -> paused, the room is flooded']);
});

test('one request that arrives eight times at one moment changes once', async () => {
  const sku = await db.sku();
  const request = by();
  const pauses = Array.from({ length: 8 }, () => db.ledger.skuPause({ ...sku, ...request, paused: true }));
  assert.is((await Promise.all(pauses)).filter(({ changed }) => changed).length, 1);
  const more = { ...sku, ...by(), capacity: 12, force: false };
  const resized = await Promise.all(Array.from({ length: 8 }, () => db.ledger.capacitySet(more)));
  assert.is(resized.filter(({ changed }) => changed).length, 1);
  assert.is((await db.stock(sku.skuId)).free, 12);
});

test('one request id at one moment for two skus changes one of them', async () => {
  const skus = [await db.sku(), await db.sku()];
  const request = by();
  const results = await Promise.allSettled(skus.map((sku) => db.ledger.skuPause({ ...sku, ...request, paused: true })));
  assert.equal(results.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  const states = await Promise.all(skus.map(async ({ skuId }) => (await db.ledger.skuGet(skuId)).sku.paused));
  assert.equal(states.sort(), [false, true]);
});

test("another store's sku is not there, and everything that is wrong is said at once", async () => {
  const { skuId } = await db.sku();
  for (const wrong of [
    { storeId: 'store-2', skuId },
    { storeId: 'store-1', skuId: 'nothing' },
  ]) {
    const change = { ...wrong, ...by() };
    const pause = await rejectionOf(db.ledger.skuPause({ ...change, paused: true }), Fault);
    const resize = await rejectionOf(db.ledger.capacitySet({ ...change, capacity: 1, force: true }), Fault);
    assert.equal([pause.reason, resize.reason], ['SKU_NOT_FOUND', 'SKU_NOT_FOUND']);
  }
  const bad = { storeId: '', skuId: 'two words', operator: 'olga', reason: ' ', requestId: '', capacity: -1 };
  const fault = await rejectionOf(db.ledger.capacitySet({ ...bad, force: true }), Fault);
  assert.equal(
    fault.violations.map(({ field }) => field),
    ['store_id', 'sku_id', 'reason', 'request_id', 'capacity'],
  );
  assert.is((await db.stock(skuId)).capacity, 10);
});

test('capacity goes up and down to what is taken; below it the figures are told and nothing is changed', async () => {
  const sku = await db.sku({ perUserLimit: 9 });
  await db.order(claimOf('ann', [lineOf(sku.skuId, 'ann', 3)]));
  const up = await db.ledger.capacitySet({ ...sku, ...by(), capacity: 14, force: false });
  assert.equal([up.sku.capacity, up.sku.etag, up.stock.free], [14, '2', 11]);
  const down = await db.ledger.capacitySet({ ...sku, ...by(), capacity: 3, force: false });
  assert.equal([down.stock.capacity, down.stock.overbooked, down.stock.free], [3, 0, 0]);
  const request = by();
  const fault = await rejectionOf(db.ledger.capacitySet({ ...sku, ...request, capacity: 2, force: false }), Fault);
  assert.is(fault.reason, 'CAPACITY_BELOW_TAKEN');
  const figures = { capacity: '3', free: '0', reserved: '0', held: '3', sold: '0', taken: '3' };
  assert.equal(fault.metadata, { sku_id: sku.skuId, ...figures });
  assert.is((await db.stock(sku.skuId)).capacity, 3);
  // A refusal leaves nothing behind: the same request may come again with force.
  const forced = await db.ledger.capacitySet({ ...sku, ...request, capacity: 2, force: true });
  assert.equal([forced.stock.capacity, forced.stock.overbooked], [2, 1]);
  assert.equal(await changesOf(sku.skuId), [
    'olga: CAPACITY 10 -> 14, the room is flooded',
    'olga: CAPACITY 14 -> 3, the room is flooded',
    'olga: CAPACITY 3 -> 2, 1 overbooked, the room is flooded',
  ]);
});

test('a request for a capacity that is known is not carried out over a later one', async () => {
  const sku = await db.sku();
  const first = { ...sku, ...by(), capacity: 20, force: false };
  await db.ledger.capacitySet(first);
  await db.ledger.capacitySet({ ...sku, ...by(), capacity: 30, force: false });
  const again = await db.ledger.capacitySet(first);
  assert.equal([again.changed, again.sku.capacity], [false, 30]);
  const reused = await rejectionOf(db.ledger.capacitySet({ ...first, capacity: 21 }), Fault);
  assert.is(reused.reason, 'REQUEST_ID_REUSED');
});

test('releases come in the order of their openings, with what the switches say, a page at a time', async () => {
  const storeId = 'store-of-releases';
  const at = (minutes: number): Date => new Date(Date.now() + minutes * 60_000);
  const opening = async (skuId: string, minutes: number, closes = 24 * 60): Promise<string> =>
    (await db.sku({ skuId, storeId, onSaleAt: at(minutes), offSaleAt: at(closes) })).skuId;
  const skuIds = [await opening('began', -30), await opening('soon', 10), await opening('later', 60)];
  await opening('began-long-ago', -61);
  await opening('over', -20, -1);
  await opening('tomorrow', 23 * 60 + 90, 48 * 60);
  await db.sku({ skuId: 'always', storeId });
  await db.sku({ storeId: 'another', onSaleAt: at(20) });
  for (const [scope, id, setting, expires] of [
    ['ALL', '', 'REDIS', null],
    ['STORE', storeId, 'POSTGRES', null],
    ['SKU', 'soon', 'REDIS', null],
    ['SKU', 'later', 'AUTO', null],
    ['SKU', 'began', 'REDIS', at(-1)],
  ]) {
    await db.sql(
      `INSERT INTO ledger.switches VALUES ('STOCK_PATH', $1, $2, $3, 1, 'why', 'olga', clock_timestamp(), $4)`,
      [scope, id, setting, expires],
    );
  }
  const seen: string[][] = [];
  let pageToken = '';
  do {
    const page = await db.ledger.releasesList({ storeId, withinHours: 0 }, { pageSize: 2, pageToken });
    seen.push(...page.releases.map(({ sku, stockPath }) => [sku.skuId, stockPath]));
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
  assert.equal(seen, [
    ['began', 'POSTGRES'],
    ['soon', 'REDIS'],
    ['later', 'POSTGRES'],
  ]);
  assert.is((await db.ledger.releasesList({ storeId, withinHours: 48 }, {})).releases.length, skuIds.length + 1);
  assert.is((await db.ledger.releasesList({ storeId: '', withinHours: 1 }, {})).releases.length, 4);
  for (const withinHours of [-1, 9_000]) {
    const fault = await rejectionOf(db.ledger.releasesList({ storeId: '', withinHours }, {}), Fault);
    assert.is(fault.violations[0]?.field, 'within_hours');
  }
  await db.sql('DELETE FROM ledger.switches');
});

test.run();
