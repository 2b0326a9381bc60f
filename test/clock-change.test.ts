import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { claimOf, refusalOf } from '#libs/ledger/test-ledger.js';
import { assert, suite } from '#libs/testing/suite.js';
import { holdfast } from '../services/operator/test/command-line.js';
import { startTestMesh, type TestMesh } from './test-mesh.js';

const test = suite('a mesh in New York, when the clock is changed');
const zone = 'America/New_York';
const { TZ: ownZone } = process.env;
let mesh: TestMesh;
let directory: string;

test.before(async () => {
  process.env.TZ = zone;
  assert.is(new Date('2050-01-01T05:00:00Z').getHours(), 0);
  mesh = await startTestMesh();
  directory = mkdtempSync(join(tmpdir(), 'holdfast-clock-'));
});
test.after(async () => {
  if (ownZone === undefined) delete process.env.TZ;
  else process.env.TZ = ownZone;
  rmSync(directory, { recursive: true });
  const violations = await mesh.ledger.violations();
  await mesh.close();
  assert.equal(violations, []);
});

/** Imports rows of `sku_id,on_sale_at,starts_at`, as an operator does. */
function importSlots(storeId: string, slots: readonly string[]) {
  const path = join(directory, 'slots.csv');
  const rows = slots.map((slot) => `${slot},${zone},${storeId},A class,10,EUR`);
  writeFileSync(
    path,
    ['sku_id,on_sale_at,starts_at,time_zone,store_id,title,capacity,currency', ...rows, ''].join('\n'),
  );
  return holdfast(['--gateway', mesh.gatewayAddresses[0] ?? '', 'sku', 'import', path]);
}

/** What people are shown of a store: id, opening and beginning of each slot. */
async function listed(storeId: string): Promise<unknown[][]> {
  const { skus } = (await (await fetch(`${mesh.http}/v1/stores/${storeId}/skus`)).json()) as { skus: Shown[] };
  return skus.map(({ sku_id: id, on_sale_at: onSaleAt, starts_at: startsAt }) => [id, onSaleAt, startsAt]).sort();
}

interface Shown {
  sku_id: string;
  on_sale_at: string;
  starts_at: string;
}

/** From when until when a sku is on sale, by every minute of the two days around: one stretch, or there are more. */
async function onSale(skuId: string): Promise<{ from: string; until: string }[]> {
  const stretches = await mesh.ledger.sql<{ from: Date; until: Date }>(
    `SELECT min(at) AS "from", max(at) + interval '1 minute' AS "until" FROM (
       SELECT at, row_number() OVER (ORDER BY at) - extract(epoch FROM at) / 60 AS stretch
       FROM ledger.skus, generate_series(starts_at - interval '1 day', starts_at + interval '1 day', interval '1 minute') AS at
       WHERE sku_id = $1 AND ledger.sale_bar(skus, at) IS NULL
     ) AS open GROUP BY stretch`,
    [skuId],
  );
  return stretches.map(({ from, until }) => ({ from: from.toISOString(), until: until.toISOString() }));
}

/** The ledger's clock shows `instant` from now on, and stands still. */
async function clockShows(instant: string): Promise<void> {
  await mesh.ledger.sql(`CREATE OR REPLACE FUNCTION ledger.clock() RETURNS timestamptz LANGUAGE sql VOLATILE
    RETURN timestamptz '${instant}'`);
}

/** Whether a buyer gets a unit at an instant; else the reason. */
async function bought(skuId: string, storeId: string, instant: string): Promise<string> {
  await clockShows(instant);
  const decision = await mesh.ledger.admit(claimOf(`user-${instant}`, skuId, { storeId }));
  return decision.kind === 'ORDER' ? decision.order.state : refusalOf(decision).reason;
}

const changes = [
  {
    name: 'forward',
    // 02:00 to 03:00 is missing.
    slots: ['early,2050-03-13 00:30,2050-03-13 01:30', 'late,2050-03-13 01:30,2050-03-13 03:30'],
    told: [
      ['early', '2050-03-13T05:30:00.000Z', '2050-03-13T06:30:00.000Z'],
      ['late', '2050-03-13T06:30:00.000Z', '2050-03-13T07:30:00.000Z'],
    ],
    refused: ['2050-03-13 02:30', 'is never shown by the clocks of America/New_York'],
  },
  {
    name: 'back',
    // 01:00 to 02:00 comes twice.
    slots: [
      'first,2050-11-06 00:30,2050-11-06T01:30:00-04:00',
      'second,2050-11-06T01:30:00-04:00,2050-11-06T01:30:00-05:00',
      'third,2050-11-06T01:30:00-05:00,2050-11-06 02:30',
    ],
    told: [
      ['first', '2050-11-06T04:30:00.000Z', '2050-11-06T05:30:00.000Z'],
      ['second', '2050-11-06T05:30:00.000Z', '2050-11-06T06:30:00.000Z'],
      ['third', '2050-11-06T06:30:00.000Z', '2050-11-06T07:30:00.000Z'],
    ],
    refused: ['2050-11-06 01:30', 'is shown twice by the clocks of America/New_York'],
  },
] as const;

for (const { name, slots, told, refused } of changes) {
  const storeId = `store-${name}`;

  test(`I11: put ${name}: a time that is missing or comes twice is refused, and nothing is imported`, async () => {
    const [time, why] = refused;
    for (const slot of [`bad,${time},2050-12-01 10:00`, `bad,2050-01-01 10:00,${time}`]) {
      const { code, err } = await importSlots(storeId, [slot, ...slots]);
      assert.is(code, 2);
      assert.ok(err.includes(why), err);
    }
    assert.equal(await listed(storeId), []);
  });

  test(`I11: put ${name}: each slot is listed once with its instants, also when it is imported again`, async () => {
    for (const counted of [/created +(\d)/, /unchanged +(\d)/]) {
      const { code, out, err } = await importSlots(storeId, slots);
      assert.is(code, 0, err);
      assert.is(counted.exec(out)?.[1], `${slots.length}`);
      assert.equal(await listed(storeId), told);
    }
  });

  test(`I11: put ${name}: each sale opens once at its instant and closes when the slot begins`, async () => {
    for (const [skuId, from, until] of told) {
      assert.equal(await onSale(skuId), [{ from, until }]);
      const around = [from, until].flatMap((at) => [new Date(Date.parse(at) - 1).toISOString(), at]);
      const answers = [];
      for (const at of around) answers.push(await bought(skuId, storeId, at));
      assert.equal(answers, ['NOT_ON_SALE', 'CONFIRMED', 'CONFIRMED', 'NOT_ON_SALE'], skuId);
    }
  });
}

test('I11: a hold of 15 minutes that the clock is put back in ends 15 minutes after it began', async () => {
  await clockShows('2050-11-06T05:50:00Z');
  const { skuId } = await mesh.ledger.sku({ holdTtlSeconds: 900 });
  const { orderId, expiresAt } = await mesh.ledger.order(claimOf('ann', skuId));
  assert.is(expiresAt?.toISOString(), '2050-11-06T06:05:00.000Z');
  for (const [instant, state] of [
    ['2050-11-06T06:04:59.999Z', 'HELD'],
    ['2050-11-06T06:05:00Z', 'EXPIRED'],
  ] as const) {
    await clockShows(instant);
    await mesh.ledger.ledger.ordersExpire(1_000);
    assert.is((await mesh.ledger.ledger.ordersRead([orderId]))[0]?.state, state);
  }
});

test.run();
