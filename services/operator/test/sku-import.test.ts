import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ImportSkusRequest, ImportSkusResponse } from '#libs/contracts/gen/holdfast/control/v1/control_service.js';
import { Fault } from '#libs/refusal/fault.js';
import { toStatus } from '#libs/rpc/status.js';
import { assert, suite } from '#libs/testing/suite.js';
import { holdfast } from './command-line.js';
import { type FakeGateway, startFakeGateway } from './fake-gateway.js';

const test = suite('holdfast sku import');
let gateway: FakeGateway;
let directory: string;

test.before(async () => {
  gateway = await startFakeGateway();
  directory = mkdtempSync(join(tmpdir(), 'holdfast-import-'));
});
test.before.each(() => {
  gateway.asked = [];
  gateway.script = { importSkus: allCreated };
});
test.after(async () => {
  rmSync(directory, { recursive: true });
  await gateway.close();
});

const header = 'sku_id,store_id,title,capacity,currency';
const row = (skuId: string) => `${skuId},kiln,A mug,10,EUR`;

function allCreated({ skus }: ImportSkusRequest): ImportSkusResponse {
  return { created: skus.length, changed: 0, unchanged: 0, failures: [] };
}

/** Refuses the sku of that id, wherever it stands. */
function refusing(skuId: string, fault: Fault) {
  return (request: ImportSkusRequest): ImportSkusResponse => {
    const position = request.skus.findIndex((sku) => sku.skuId === skuId);
    if (position < 0) return allCreated(request);
    const failures = [{ position, skuId, error: toStatus(fault) }];
    return { created: request.skus.length - 1, changed: 0, unchanged: 0, failures };
  };
}

function importing(lines: readonly string[], ...more: string[]) {
  const path = join(directory, 'skus.csv');
  writeFileSync(path, `${lines.join('\n')}\n`);
  return holdfast(['--gateway', gateway.address, 'sku', 'import', path, ...more]);
}

const passes = () => gateway.requests('importSkus').map(({ skus, dryRun }) => [skus.length, dryRun]);

test('every row is checked before the first is imported, in chunks of 500', async () => {
  const rows = Array.from({ length: 1_100 }, (_, at) => row(`mug-${at}`));
  const { code, out, err } = await importing([header, ...rows]);
  assert.equal([code, err], [0, '']);
  assert.equal(passes(), [
    [500, true],
    [500, true],
    [100, true],
    [500, false],
    [500, false],
    [100, false],
  ]);
  assert.match(out, /imported\n +created +1,100\n +changed +0\n +unchanged +0\n +failed +0\n$/);
});

test('what a row says is sent, and what it leaves out takes its default', async () => {
  await importing([
    'title,sku_id,store_id,capacity,price,currency,starts_at,time_zone,on_sale_at,hold_ttl,on_busy,on_sold_out,late_payment,free_cancel,late_cancel,rate_per_second,rate_burst',
    '"A class, on wheels",wheel-1,kiln,8,45.50,eur,2026-03-02 18:00,Europe/Berlin,2026-02-01T10:00:00Z,20m,fail,join_waitlist,refund,24h,no_refund,5,9',
  ]);
  const [sku] = gateway.requests('importSkus')[0]?.skus ?? [];
  assert.equal(
    { ...sku },
    {
      skuId: 'wheel-1',
      storeId: 'kiln',
      title: 'A class, on wheels',
      capacity: 8,
      overbooked: 0,
      startsAt: new Date('2026-03-02T17:00:00Z'),
      timeZone: 'Europe/Berlin',
      onSaleAt: new Date('2026-02-01T10:00:00Z'),
      offSaleAt: undefined,
      perUserLimit: 0,
      maxPerOrder: 0,
      holdTtlSeconds: 1_200,
      paymentRequired: true,
      priceMinor: 4_550,
      currency: 'EUR',
      rateLimit: { perSecond: 5, burst: 9 },
      paused: false,
      etag: '',
      onBusy: 2,
      cancelledAt: undefined,
      limitGroup: '',
      onSoldOut: 2,
      latePayment: 2,
      freeCancelSeconds: 86_400,
      lateCancel: 2,
      waitlist: undefined,
      waitlistPaused: undefined,
    },
  );
});

test('a cancel that is always free is said, and a policy that is none is named', async () => {
  await importing([`${header},free_cancel`, `${row('mug')},always`]);
  assert.is(gateway.requests('importSkus')[0]?.skus[0]?.freeCancelSeconds, -1);
  const { code, err } = await importing([
    `${header},late_payment,free_cancel,late_cancel`,
    `${row('mug')},keep,367d,maybe`,
  ]);
  assert.is(code, 2);
  for (const line of [
    'line 2, late_payment: "keep": give retake_if_free or refund',
    'line 2, free_cancel: "367d": give a duration such as 0s, 24h or 7d, up to 366d, or always',
    'line 2, late_cancel: "maybe": give refuse or no_refund',
  ]) {
    assert.ok(err.includes(line), `${line} in ${err}`);
  }
});

test('every bad cell is listed with line and column, and nothing is sent', async () => {
  const { code, err } = await importing([
    `${header},price,starts_at`,
    'a b,kiln,A mug,ten,EUR,1.234,',
    'mug,kiln,A mug,1,EUR,,2026-02-30 10:00',
    'cup,kiln,A cup,1',
    row('jar').concat(',,'),
    row('jar').concat(',,'),
  ]);
  assert.is(code, 2);
  const expected = [
    'line 2, price: "1.234": give an amount of EUR such as 12.50',
    'line 2, sku_id: "a b": an id has',
    'line 2, capacity: "ten": give a whole number',
    'line 3, starts_at: "2026-02-30 10:00": give a date and time',
    'line 4, sku cup: has 4 cells, the first line has 7',
    'line 5, sku_id: jar stands on lines 5 and 6',
    'line 6, sku_id: jar stands on lines 5 and 6',
    '5 rows are not right and nothing was sent; --partial imports the others; docs/sku-import.md',
  ];
  for (const line of expected) assert.ok(err.includes(line), `${line} in ${err}`);
  assert.equal(gateway.asked, []);
});

test('wrong columns are all named, also with --partial', async () => {
  const { code, err } = await importing(['sku_id,store,title,title,capacity', 'a,b,c,d,1'], '--partial');
  assert.is(code, 2);
  for (const line of ['"store" is no column', 'title is there twice', 'store_id is missing', 'currency is missing']) {
    assert.ok(err.includes(line), err);
  }
  assert.equal(gateway.asked, []);
});

test('what only the gateway finds wrong is listed by line, and nothing is imported', async () => {
  const violations = [{ field: 'on_sale_at', description: 'must be before off_sale_at and starts_at' }];
  const fault = new Fault('INVALID_REQUEST', 'the sku is not well formed', { violations });
  gateway.script.importSkus = refusing('cup', fault);
  const { code, err, out } = await importing([header, row('mug'), '', row('cup')]);
  assert.is(code, 1);
  assert.equal(passes(), [[2, true]]);
  assert.match(
    err,
    /^line 4, on_sale_at: must be before off_sale_at and starts_at\nnothing was imported; --partial imports the others/,
  );
  assert.match(out, /nothing was changed; it would be\n +created +1\n( .*\n)* +failed +1/);
});

test('--partial imports the good rows, and lists those that are bad here or there', async () => {
  gateway.script.importSkus = refusing('cup', new Fault('SKU_EXISTS', 'it exists with other terms'));
  const { code, out, err } = await importing([header, row('mug'), row('cup'), row('j r')], '--partial', '--json');
  assert.is(code, 1);
  assert.equal(passes(), [[2, false]]);
  const { gateway: _gateway, failures, ...counts } = JSON.parse(out);
  assert.equal(counts, { imported: true, created: 1, changed: 0, unchanged: 0, failed: 2 });
  assert.equal(
    failures.map(({ line, sku_id, column, reason }: Record<string, unknown>) => [line, sku_id, column, reason]),
    [
      [3, 'cup', '', 'SKU_EXISTS'],
      [4, 'j r', 'sku_id', 'INVALID_ROW'],
    ],
  );
  assert.match(JSON.parse(err).error.advice, /the others were imported; --update changes those that exist/);
});

test('--dry-run says what would become of them and changes nothing; --update and --reason are passed on', async () => {
  const { code, out } = await importing([header, row('mug')], '--dry-run', '--update', '--reason', 'spring');
  assert.is(code, 0);
  assert.match(out, /nothing was changed; it would be\n +created +1/);
  assert.equal(
    gateway.requests('importSkus').map(({ dryRun, update, reason }) => [dryRun, update, reason]),
    [[true, true, 'spring']],
  );
});

test('an import that breaks off says what was imported and that it may be done again', async () => {
  let calls = 0;
  gateway.script.importSkus = (request) => {
    calls += 1;
    if (calls > 1) throw new Fault('UNAVAILABLE', 'inventory is away');
    return allCreated(request);
  };
  const rows = Array.from({ length: 600 }, (_, at) => row(`mug-${at}`));
  const { code, out, err } = await importing([header, ...rows], '--partial');
  assert.is(code, 3);
  assert.match(out, /imported\n +created +500/);
  assert.match(err, /import the file again, what is there already stays unchanged/);
});

test('a file of semicolons with a byte order mark is read as any other', async () => {
  const { code } = await importing([`\ufeff${header.replaceAll(',', ';')}`, row('mug').replaceAll(',', ';')]);
  assert.equal([code, gateway.requests('importSkus')[0]?.skus[0]?.skuId], [0, 'mug']);
});

test('a file that is none is refused in a line', async () => {
  const absent = await holdfast(['sku', 'import', join(directory, 'absent.csv')]);
  assert.is(absent.code, 2);
  assert.match(absent.err, /there is no file .*absent\.csv\ndocs\/sku-import\.md says/);
  assert.match((await importing([header, 'a,"b'])).err, /Quote Not Closed/);
  assert.match((await importing([header])).err, /no rows under its column names/);
});

test.run();
